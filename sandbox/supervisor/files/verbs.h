#ifndef WARDER_VERBS_H
#define WARDER_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "../wire.h"

/* Checks a verb's payload, in the supervisor. */
bool verb_is_well_formed(const struct frame *frame, uint32_t *timeout_ms);
/* Performs it, in the child. Returns the exit code, an `enum failure`. */
int verb_perform(const struct frame *frame);

#endif
