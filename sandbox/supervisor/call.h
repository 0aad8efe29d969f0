/* The call under way: a command or a verb. There is at most one. */
#ifndef WARDER_CALL_H
#define WARDER_CALL_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

void call_start(const struct frame *frame);
void call_cancel(uint32_t id);
/* Further bytes for the standard input of the call under way; none: its end. */
void call_input(const struct frame *frame);
/* The descriptors to poll; returns how many were added. */
size_t call_poll(struct pollfd *polls);
/* Takes note of the processes that have ended. */
void call_reap(void);
/* Moves bytes and time forward; to be called after each poll. */
void call_advance(void);
/* Nanoseconds of the monotonic clock, or UINT64_MAX. */
uint64_t call_deadline(void);

#endif
