#ifndef WARDER_CLOCK_H
#define WARDER_CLOCK_H

#include <stdint.h>

/* Nanoseconds of the monotonic clock. */
uint64_t now_ns(void);

#endif
