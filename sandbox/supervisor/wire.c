#include "wire.h"

#include <string.h>

static uint32_t be32(const uint8_t *data) {
  return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | (uint32_t)data[3];
}

size_t frame_size(const uint8_t *data, size_t length) { return length < 4 ? 0 : (size_t)be32(data) + 4; }

enum frame_state frame_next(const uint8_t *data, size_t length, struct frame *frame, size_t *used) {
  if (length < 4) return FRAME_INCOMPLETE;
  uint32_t size = be32(data);
  if (size < FRAME_HEAD || size > MAX_REQUEST_FRAME) return FRAME_MALFORMED;
  if (length - 4 < size) return FRAME_INCOMPLETE;
  frame->type = data[4];
  frame->id = be32(data + 5);
  frame->payload.data = data + 4 + FRAME_HEAD;
  frame->payload.length = size - FRAME_HEAD;
  *used = (size_t)size + 4;
  return FRAME_COMPLETE;
}

static const uint8_t *take(struct reader *reader, size_t length) {
  if (reader->is_bad || length > reader->left) {
    reader->is_bad = true;
    return NULL;
  }
  const uint8_t *data = reader->data;
  reader->data += length;
  reader->left -= length;
  return data;
}

uint8_t read_u8(struct reader *reader) {
  const uint8_t *data = take(reader, 1);
  return data ? data[0] : 0;
}

uint32_t read_u32(struct reader *reader) {
  const uint8_t *data = take(reader, 4);
  return data ? be32(data) : 0;
}

uint64_t read_u64(struct reader *reader) {
  const uint8_t *data = take(reader, 8);
  return data ? (uint64_t)be32(data) << 32 | be32(data + 4) : 0;
}

struct slice read_raw(struct reader *reader, size_t length) {
  const uint8_t *data = take(reader, length);
  struct slice slice = {data, data ? length : 0};
  return slice;
}

struct slice read_bytes(struct reader *reader) { return read_raw(reader, read_u32(reader)); }

bool reader_is_done(const struct reader *reader) { return !reader->is_bad && reader->left == 0; }

uint8_t *put_u8(uint8_t *place, uint8_t value) {
  *place = value;
  return place + 1;
}

uint8_t *put_u16(uint8_t *place, uint16_t value) { return put_u8(put_u8(place, (uint8_t)(value >> 8)), (uint8_t)value); }

uint8_t *put_u32(uint8_t *place, uint32_t value) { return put_u16(put_u16(place, (uint16_t)(value >> 16)), (uint16_t)value); }

uint8_t *put_u64(uint8_t *place, uint64_t value) { return put_u32(put_u32(place, (uint32_t)(value >> 32)), (uint32_t)value); }
