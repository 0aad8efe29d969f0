/* What a verb answers: its result on stream 1, or why it failed on stream 2. */
#ifndef WARDER_RESULT_H
#define WARDER_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "../wire.h"

enum failure failure_of_errno(int code);
/* Says why on stream 2 and gives back the failure. */
enum failure fail(enum failure failure, const char *reason);
enum failure fail_errno(const char *what);
/* Results, buffered, on stream 1. */
void emit(const void *data, size_t length);
void emit_u8(uint8_t value);
void emit_u32(uint32_t value);
void emit_u64(uint64_t value);
void emit_bytes(const void *data, size_t length);
void flush_results(void);

#endif
