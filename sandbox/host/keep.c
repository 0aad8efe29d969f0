#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attributes.h"
#include "keep.h"
#include "open.h"
#include "record.h"

/* linux/fs.h, which musl-gcc does not find. */
#define CLONE_FILE _IOW(0x94, 9, int)

/* Written copies of one landing together: what is linked or shares its blocks costs nothing. */
#define MAX_COPIED (1024ll * 1024 * 1024)

/* In a directory that holds nothing but what is kept; what was interrupted there is written over. */
#define TEMPORARY ".warder-kept.tmp"

static off_t copied;

static bool is_zero(const uint8_t *chunk, size_t length) { return chunk[0] == 0 && memcmp(chunk, chunk + 1, length - 1) == 0; }

/* Zeros are left out as a hole: a sparse file takes no more room on the host's disk than it took in the run's. */
bool copy_content(int from, int to) {
  static uint8_t chunk[65536];
  off_t size = 0;
  for (;;) {
    ssize_t length = read(from, chunk, sizeof chunk);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return length == 0 && ftruncate(to, size) == 0;
    size += length;
    if (is_zero(chunk, (size_t)length)) {
      if (lseek(to, length, SEEK_CUR) < 0) return false;
      continue;
    }
    for (ssize_t done = 0, part; done < length; done += part) {
      part = write(to, chunk + done, (size_t)(length - done));
      if (part < 0 && errno != EINTR) return false;
      if (part < 0) part = 0;
    }
  }
}

static bool is_full(void) { return errno == ENOSPC || errno == EDQUOT; }

/* The open parent of a path below `kept`, made where it is not there. */
static int make_parent(int kept, const char *path, const char **name) {
  int parent = open_parent(kept, path, name);
  if (parent >= 0 || errno != ENOENT) return parent;
  char above[4096];
  for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    memcpy(above, path, (size_t)(slash - path));
    above[slash - path] = '\0';
    const char *last;
    int directory = open_parent(kept, above, &last);
    if (directory < 0) return -1;
    bool is_made = mkdirat(directory, last, 0700) == 0 || errno == EEXIST;
    close(directory);
    if (!is_made) return -1;
  }
  return open_parent(kept, path, name);
}

/* Its content, readable by nobody else, and its list and attributes. */
static bool copy_file(int from, int place, const struct stat *status) {
  int to = openat(place, TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to < 0) return false;
  bool is_done = ioctl(to, CLONE_FILE, from) == 0;
  if (!is_done && copied + status->st_size > MAX_COPIED) errno = EFBIG;
  else if (!is_done) {
    is_done = copy_content(from, to);
    copied += status->st_size;
  }
  int fault = errno;
  close(to);
  errno = fault;
  return is_done;
}

static bool keep_file(int place, int parent, const char *name, struct stat *status) {
  struct stat now;
  /* Under a second name it keeps all that it has. What others may still write to, or what is more than its content, is copied. */
  if (status->st_nlink == 1 && (status->st_mode & 06000) == 0 && linkat(parent, name, place, TEMPORARY, 0) == 0) {
    bool is_same = fstatat(place, TEMPORARY, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == status->st_ino && now.st_size == status->st_size &&
                   now.st_mtim.tv_sec == status->st_mtim.tv_sec && now.st_mtim.tv_nsec == status->st_mtim.tv_nsec;
    if (is_same) *status = now;
    errno = ESTALE;
    return is_same;
  }
  int from = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (from < 0) return false;
  bool is_done = copy_file(from, place, status);
  int fault = errno;
  close(from);
  errno = fault;
  if (!is_done) return false;
  int to = openat(place, TEMPORARY, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  is_done = to >= 0 && keep_attributes(parent, name, to) && fchmod(to, 0600) == 0;
  if (to >= 0) close(to);
  errno = is_done ? 0 : ENOTSUP;
  return is_done;
}

static bool keep_link(int place, int parent, const char *name) {
  char text[4097];
  ssize_t length = readlinkat(parent, name, text, sizeof text - 1);
  if (length < 0) return false;
  text[length] = '\0';
  return symlinkat(text, place, TEMPORARY) == 0;
}

/* Empty: what was in it is kept by itself. */
static bool keep_directory(int place, const char *name, int parent) {
  if (mkdirat(place, name, 0700) != 0 && errno != EEXIST) return false;
  int to = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool is_done = to >= 0 && keep_attributes(parent, name, to) && fchmod(to, 0700) == 0;
  if (to >= 0) close(to);
  if (is_done) return true;
  unlinkat(place, name, AT_REMOVEDIR);
  errno = ENOTSUP;
  return false;
}

enum keeping keep_replaced(int kept, const char *path, int parent, const char *name, struct stat *status) {
  const char *last;
  int place = make_parent(kept, path, &last);
  if (place < 0) return is_full() ? KEEPING_FULL : KEEPING_NONE;
  struct stat before;
  /* A landing that goes on after it was interrupted has kept it already. */
  if (S_ISREG(status->st_mode) && fstatat(place, last, &before, AT_SYMLINK_NOFOLLOW) == 0 && before.st_ino == status->st_ino && before.st_dev == status->st_dev) {
    close(place);
    return KEEPING_KEPT;
  }
  bool is_done;
  unlinkat(place, TEMPORARY, 0);
  if (S_ISDIR(status->st_mode)) is_done = keep_directory(place, last, parent);
  else {
    errno = ENOTSUP;
    is_done = S_ISREG(status->st_mode) ? keep_file(place, parent, name, status) : S_ISLNK(status->st_mode) && keep_link(place, parent, name);
    if (is_done) is_done = renameat(place, TEMPORARY, place, last) == 0;
  }
  int fault = errno;
  if (!is_done) unlinkat(place, TEMPORARY, 0);
  close(place);
  if (is_done) return KEEPING_KEPT;
  errno = fault;
  if (fault == ESTALE) return KEEPING_CHANGED;
  return is_full() ? KEEPING_FULL : KEEPING_NONE;
}
