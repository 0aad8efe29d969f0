#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

#define MAX_PATHS 4096
#define MAX_PATH_BYTES 4095
#define MAX_CONTENT_BYTES (10u << 20)
#define MAX_ENTRIES 100000u
#define MAX_TEXT_BYTES 4096u
#define MAX_TIMEOUT_MS 86400000u

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

static void flush_results(void) {
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

static bool has_paths(struct reader *reader, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct slice path = read_bytes(reader);
    if (reader->is_bad || path.length < 1 || path.length > MAX_PATH_BYTES) return false;
    if (path.data[0] != '/' || memchr(path.data, 0, path.length)) return false;
  }
  return true;
}

static bool is_text(struct slice text) {
  return text.length >= 1 && text.length <= MAX_TEXT_BYTES && !memchr(text.data, 0, text.length) && !memchr(text.data, '\n', text.length);
}

static bool is_well_formed(uint8_t type, struct reader *reader) {
  uint32_t count = 1;
  if (type == REQUEST_RESOLVE || type == REQUEST_HASH) {
    count = read_u32(reader);
    if (count < 1 || count > MAX_PATHS) return false;
  } else if (type == REQUEST_READ) {
    read_u64(reader);
    if (read_u32(reader) > MAX_CONTENT_BYTES) return false;
  } else if (type == REQUEST_LIST) {
    uint32_t depth = read_u32(reader), entries = read_u32(reader);
    if (depth < 1 || depth > 64 || entries < 1 || entries > MAX_ENTRIES) return false;
  } else if (type == REQUEST_WRITE) {
    if (read_u8(reader) > 2) return false;
    read_raw(reader, SHA256_SIZE);
  } else if (type == REQUEST_SEARCH) {
    if (read_u8(reader) > 1) return false;
    uint32_t matches = read_u32(reader), each = read_u32(reader);
    if (matches < 1 || matches > MAX_ENTRIES || each < 1 || each > MAX_ENTRIES) return false;
  }
  if (!has_paths(reader, count)) return false;
  if (type == REQUEST_WRITE && read_bytes(reader).length > MAX_CONTENT_BYTES) return false;
  if (type == REQUEST_SEARCH) {
    struct slice text = read_bytes(reader);
    if (reader->is_bad || !is_text(text)) return false;
  }
  return reader_is_done(reader);
}

bool verb_is_well_formed(const struct frame *frame, uint32_t *timeout_ms) {
  struct reader reader = {frame->payload.data, frame->payload.length, false};
  *timeout_ms = read_u32(&reader);
  return !reader.is_bad && *timeout_ms >= 1 && *timeout_ms <= MAX_TIMEOUT_MS && is_well_formed(frame->type, &reader);
}

int verb_perform(const struct frame *frame) {
  struct reader reader = {frame->payload.data, frame->payload.length, false};
  read_u32(&reader);
  enum failure failure = FAILURE_BAD_REQUEST;
  if (frame->type == REQUEST_RESOLVE) failure = verb_resolve(&reader);
  if (frame->type == REQUEST_READ) failure = verb_read(&reader);
  if (frame->type == REQUEST_HASH) failure = verb_hash(&reader);
  if (frame->type == REQUEST_LIST) failure = verb_list(&reader);
  if (frame->type == REQUEST_WRITE) failure = verb_write(&reader);
  if (frame->type == REQUEST_SEARCH) failure = verb_search(&reader);
  if (failure == FAILURE_NONE) flush_results();
  return (int)failure;
}
