#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "result.h"
#include "sha256.h"
#include "walk.h"

#define CHUNK 65536

static int refuse(enum failure *failure, enum failure what, const char *reason) {
  *failure = fail(what, reason);
  return -1;
}

int open_content(const struct place *place, enum failure *failure) {
  const struct root *root = root_of(place->real);
  if (place->failure != FAILURE_NONE) return refuse(failure, place->failure, "the path cannot be followed to its end");
  if (root == NULL) return refuse(failure, FAILURE_OUTSIDE_ROOTS, "the path leads out of every root");
  if (!place->exists) return refuse(failure, FAILURE_NOT_FOUND, "there is no such file");
  if (S_ISDIR(place->status.st_mode)) return refuse(failure, FAILURE_IS_DIRECTORY, "it is a directory");
  /* Looked at before it is opened: opening a FIFO or a device can have effects. */
  if (!S_ISREG(place->status.st_mode)) return refuse(failure, FAILURE_NOT_A_FILE, "it is not a regular file");
  int file = open_beneath(root, place->real, O_RDONLY);
  if (file < 0) {
    *failure = fail_errno("the file cannot be opened");
    return -1;
  }
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  close(file);
  return refuse(failure, FAILURE_CONFLICT, "something else stands there now");
}

int open_directory(const struct place *place, enum failure *failure) {
  const struct root *root = root_of(place->real);
  if (place->failure != FAILURE_NONE) return refuse(failure, place->failure, "the path cannot be followed to its end");
  if (root == NULL) return refuse(failure, FAILURE_OUTSIDE_ROOTS, "the path leads out of every root");
  if (!place->exists) return refuse(failure, FAILURE_NOT_FOUND, "there is no such directory");
  if (!S_ISDIR(place->status.st_mode)) return refuse(failure, FAILURE_NOT_A_DIRECTORY, "it is not a directory");
  int directory = open_beneath(root, place->real, O_RDONLY | O_DIRECTORY);
  if (directory < 0) *failure = fail_errno("the directory cannot be opened");
  return directory;
}

static bool read_range(int file, uint64_t offset, uint8_t *range, size_t length, size_t *got) {
  while (*got < length) {
    ssize_t part = pread(file, range + *got, length - *got, (off_t)(offset + *got));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return false;
    if (part == 0) return true;
    *got += (size_t)part;
  }
  return true;
}

/* One pass, so that digest, size and content are of the same bytes even while another process writes. */
bool read_content(int file, uint64_t offset, uint8_t *range, size_t length, size_t *got, struct content *content) {
  static uint8_t chunk[CHUNK];
  struct stat status;
  *content = (struct content){0};
  *got = 0;
  if (fstat(file, &status) != 0) return false;
  struct sha256 hash;
  sha256_start(&hash);
  while (status.st_size <= (off_t)MAX_HASHED_BYTES) {
    ssize_t part = read(file, chunk, sizeof chunk);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return false;
    if (part == 0) {
      content->has_digest = true;
      sha256_end(&hash, content->digest);
      return true;
    }
    uint64_t from = content->size, to = from + (uint64_t)part;
    if (to > MAX_HASHED_BYTES) break;
    sha256_add(&hash, chunk, (size_t)part);
    content->size = to;
    uint64_t first = from > offset ? from : offset, last = to < offset + length ? to : offset + length;
    if (first >= last) continue;
    memcpy(range + (first - offset), chunk + (first - from), (size_t)(last - first));
    *got = (size_t)(last - offset);
  }
  *got = 0;
  content->size = (uint64_t)status.st_size;
  return read_range(file, offset, range, length, got);
}
