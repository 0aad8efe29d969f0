#include <string.h>

#include "../wire.h"
#include "file-verbs.h"
#include "result.h"
#include "sha256.h"
#include "verbs.h"

#define MAX_PATHS 4096
#define MAX_PATH_BYTES 4095
#define MAX_CONTENT_BYTES (10u << 20)
#define MAX_ENTRIES 100000u
#define MAX_TEXT_BYTES 4096u
#define MAX_TIMEOUT_MS 86400000u

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
  uint32_t count = type == REQUEST_PROBE ? 0 : 1;
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
  if (frame->type == REQUEST_PROBE) failure = verb_probe();
  if (failure == FAILURE_NONE) flush_results();
  return (int)failure;
}
