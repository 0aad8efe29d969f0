/* The stream of frames towards the host, a bounded queue, and the end of the session, which is told there. */
#ifndef WARDER_OUTPUT_H
#define WARDER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

size_t output_room(void);
bool output_is_pending(void);
/* Queues one frame of two parts; the caller has looked for room (head + tail + FRAME_HEAD + 4). */
void output_frame(enum reply_type type, uint32_t id, struct slice head, struct slice tail);
/* Writes what can be written without blocking. False: the other end is gone. */
bool output_flush(void);
/* Sends a fault when that is possible, kills everything, exits. `text` NULL: nothing is sent. */
_Noreturn void end_session(int status, enum fault fault, const char *text);

#endif
