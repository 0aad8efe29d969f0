/* The verbs that tell where paths lead, what a file holds, and what its hash is. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../wire.h"
#include "content.h"
#include "file-verbs.h"
#include "result.h"
#include "walk.h"

enum failure verb_resolve(struct reader *reader) {
  static struct place place;
  for (uint32_t count = read_u32(reader); count > 0; count--) {
    walk(read_bytes(reader), &place);
    if (!place.exists) memset(&place.status, 0, sizeof place.status);
    const struct stat *status = &place.status;
    emit_u8((uint8_t)place.failure);
    emit_u8((uint8_t)(place.exists ? node_type(status->st_mode) : NODE_MISSING));
    emit_u32(status->st_mode & 07777);
    emit_u32((uint32_t)status->st_nlink);
    emit_u32(status->st_uid);
    emit_u64((uint64_t)status->st_size);
    emit_u64((uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec);
    emit_u64(status->st_dev);
    emit_u64(status->st_ino);
    emit_bytes(place.real, strlen(place.real));
  }
  return FAILURE_NONE;
}

enum failure verb_read(struct reader *reader) {
  static struct place place;
  uint64_t offset = read_u64(reader);
  uint32_t length = read_u32(reader);
  if (offset > INT64_MAX / 2) return fail(FAILURE_BAD_REQUEST, "the offset is out of range");
  walk(read_bytes(reader), &place);
  enum failure failure;
  int file = open_content(&place, &failure);
  if (file < 0) return failure;
  struct stat status;
  struct content content;
  size_t got = 0;
  uint8_t *range = malloc((size_t)length + 1);
  if (range == NULL) return fail(FAILURE_IO, "no memory for the content");
  if (fstat(file, &status) != 0 || !read_content(file, offset, range, length, &got, &content)) return fail_errno("the file cannot be read");
  emit_u64(content.size);
  emit_u32(status.st_mode & 07777);
  emit_u32((uint32_t)status.st_nlink);
  emit_u8(content.has_digest);
  emit(content.digest, SHA256_SIZE);
  emit_bytes(place.real, strlen(place.real));
  emit_bytes(range, got);
  return FAILURE_NONE;
}

static bool hash_one(const struct place *place, struct content *content) {
  const struct root *root = root_of(place->real);
  if (place->failure != FAILURE_NONE || root == NULL || !place->exists || !S_ISREG(place->status.st_mode)) return false;
  int file = open_beneath(root, place->real, O_RDONLY);
  struct stat status;
  size_t got;
  bool is_done = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (off_t)MAX_HASHED_BYTES;
  is_done = is_done && read_content(file, 0, NULL, 0, &got, content) && content->has_digest;
  if (file >= 0) close(file);
  return is_done;
}

enum failure verb_hash(struct reader *reader) {
  static struct place place;
  static const uint8_t nothing[SHA256_SIZE];
  for (uint32_t count = read_u32(reader); count > 0; count--) {
    struct content content;
    walk(read_bytes(reader), &place);
    bool is_done = hash_one(&place, &content);
    emit_u8(is_done);
    emit(is_done ? content.digest : nothing, SHA256_SIZE);
  }
  return FAILURE_NONE;
}
