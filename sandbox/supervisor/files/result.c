#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../wire.h"
#include "result.h"

static uint8_t results[65536];
static size_t results_length;

static void write_all(int file, const uint8_t *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && (errno == EINTR || errno == ENOMEM)) continue;
    if (written < 0) _exit(FAILURE_IO);
    data += written;
    length -= (size_t)written;
  }
}

void flush_results(void) {
  write_all(STDOUT_FILENO, results, results_length);
  results_length = 0;
}

void emit(const void *data, size_t length) {
  if (length > sizeof results - results_length) flush_results();
  if (length > sizeof results) {
    write_all(STDOUT_FILENO, data, length);
    return;
  }
  if (length > 0) memcpy(results + results_length, data, length);
  results_length += length;
}

void emit_u8(uint8_t value) { emit(&value, 1); }

void emit_u32(uint32_t value) {
  uint8_t data[4];
  put_u32(data, value);
  emit(data, sizeof data);
}

void emit_u64(uint64_t value) {
  uint8_t data[8];
  put_u64(data, value);
  emit(data, sizeof data);
}

void emit_bytes(const void *data, size_t length) {
  emit_u32((uint32_t)length);
  emit(data, length);
}

enum failure failure_of_errno(int code) {
  switch (code) {
    case ENOENT: return FAILURE_NOT_FOUND;
    case ENOTDIR: return FAILURE_NOT_A_DIRECTORY;
    case EISDIR: return FAILURE_IS_DIRECTORY;
    case ENXIO: return FAILURE_NOT_A_FILE;
    /* EBUSY: a mount stands on the target, as on every protected path. */
    case EACCES: case EPERM: case EROFS: case EBUSY: case ETXTBSY: return FAILURE_PERMISSION;
    case EXDEV: return FAILURE_OUTSIDE_ROOTS;
    /* ELOOP: a link stands where the walk found none. */
    case ELOOP: case EEXIST: case ENOTEMPTY: return FAILURE_CONFLICT;
    case EFBIG: return FAILURE_TOO_LARGE;
    case ENOSPC: case EDQUOT: return FAILURE_NO_SPACE;
    case ENAMETOOLONG: return FAILURE_BAD_REQUEST;
    default: return FAILURE_IO;
  }
}

enum failure fail(enum failure failure, const char *reason) {
  write_all(STDERR_FILENO, (const uint8_t *)reason, strlen(reason));
  return failure;
}

enum failure fail_errno(const char *what) {
  int code = errno;
  char reason[256];
  snprintf(reason, sizeof reason, "%s: %s", what, strerror(code));
  return fail(failure_of_errno(code), reason);
}
