#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "copy.h"
#include "layer.h"

/* linux/fs.h, which musl-gcc does not find. */
#define CLONE_FILE _IOW(0x94, 9, int)
/* As long as Linux makes them (XATTR_LIST_MAX, XATTR_SIZE_MAX). */
#define MAX_LIST 65536
#define MAX_VALUE 65536

/* Files of several names that were copied, by their number: the path of the first name. Open addressing; a free place has no path. */
struct copied {
  ino_t inode;
  char *path;
};
static struct copied *copied;
static size_t copied_count, copied_capacity;
static int root = -1;

void begin_copies(int directory) { root = directory; }

uint64_t room_of(const struct stat *status) {
  uint64_t room = (uint64_t)status->st_blocks * 512, size = (uint64_t)status->st_size;
  return room < size ? room : size;
}

bool same_bytes(int left, int right) {
  static uint8_t chunks[2][65536];
  for (;;) {
    ssize_t first = read(left, chunks[0], sizeof chunks[0]), second = read(right, chunks[1], sizeof chunks[1]);
    if (first < 0 || second < 0) give_up("cannot be read");
    if (first != second || memcmp(chunks[0], chunks[1], (size_t)first) != 0) return false;
    if (first == 0) return true;
  }
}

struct place {
  char text[32 + MAX_NAME + 1];
};

/* A name that the calls without `l` would follow when it is a link. */
static struct place place_of(int parent, const char *name) {
  struct place place;
  snprintf(place.text, sizeof place.text, "/proc/self/fd/%d/%s", parent, name);
  return place;
}

/* The kernel makes its own anew; what a program may do beyond its user counts, as all else. */
static bool is_copied(const char *name) { return strncmp(name, "security.", 9) != 0 || strcmp(name, "security.capability") == 0; }

static ssize_t list_attributes(const char *place, char names[MAX_LIST]) {
  ssize_t length = llistxattr(place, names, MAX_LIST);
  if (length < 0 && errno != ENOTSUP) give_up("its attributes cannot be looked at");
  return length < 0 ? 0 : length;
}

static ssize_t read_attribute(const char *place, const char *name, char value[MAX_VALUE]) {
  ssize_t size = lgetxattr(place, name, value, MAX_VALUE);
  if (size < 0) give_up("an attribute cannot be read");
  return size;
}

uint64_t attributes_of(int directory, const char *name) {
  static char names[MAX_LIST], value[MAX_VALUE];
  uint64_t sum = 0;
  struct place place = place_of(directory, name);
  ssize_t length = list_attributes(place.text, names);
  for (const char *each = names; each < names + length; each += strlen(each) + 1) {
    if (!is_copied(each)) continue;
    uint64_t own = 14695981039346656037u;
    for (const char *at = each; *at; at++) own = (own ^ (uint8_t)*at) * 1099511628211u;
    ssize_t size = read_attribute(place.text, each, value);
    for (ssize_t at = 0; at < size; at++) own = (own ^ (uint8_t)value[at]) * 1099511628211u;
    /* In whatever order they come. */
    sum += own;
  }
  return sum;
}

/* `copy`: open, or -1 for a symlink, which is `name` in `to`. */
static void copy_attributes(int from, const char *name, int copy, int to) {
  static char names[MAX_LIST], value[MAX_VALUE];
  struct place place = place_of(from, name), target = place_of(to, name);
  ssize_t length = list_attributes(place.text, names);
  for (const char *each = names; each < names + length; each += strlen(each) + 1) {
    if (!is_copied(each)) continue;
    ssize_t size = read_attribute(place.text, each, value);
    int done = copy >= 0 ? fsetxattr(copy, each, value, (size_t)size, 0) : lsetxattr(target.text, each, value, (size_t)size, 0);
    if (done != 0) give_up("an attribute cannot be kept");
  }
}

static void write_all(int to, const uint8_t *chunk, size_t length, off_t at) {
  for (size_t done = 0; done < length;) {
    ssize_t part = pwrite(to, chunk + done, length - done, at + (off_t)done);
    if (part < 0 && errno != EINTR) give_up("the copy cannot be written");
    if (part > 0) done += (size_t)part;
  }
}

/* Shares its blocks where the file system can; else its holes stay holes. */
static void copy_bytes(int from, int to, off_t size) {
  static uint8_t chunk[262144];
  if (ioctl(to, CLONE_FILE, from) == 0) return;
  if (ftruncate(to, size) != 0) give_up("the copy cannot be written");
  for (off_t at = 0; at < size;) {
    off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;
    if (data < 0) data = at;
    off_t hole = lseek(from, data, SEEK_HOLE);
    if (hole < 0 || hole > size) hole = size;
    for (at = data; at < hole;) {
      size_t want = hole - at < (off_t)sizeof chunk ? (size_t)(hole - at) : sizeof chunk;
      ssize_t length = pread(from, chunk, want, at);
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) give_up("cannot be read");
      write_all(to, chunk, (size_t)length, at);
      at += length;
    }
  }
}

/* Everything but its content, on what is open. */
static void finish(int copy, const struct stat *status) {
  const struct timespec times[2] = {status->st_atim, status->st_mtim};
  if (fchmod(copy, status->st_mode & 07777) != 0) give_up("its mode cannot be kept");
  if (futimens(copy, times) != 0) give_up("its times cannot be kept");
}

static void give_owner(int to, const char *name, const struct stat *status) {
  struct stat made;
  if (fstatat(to, name, &made, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0) give_up("the copy is gone");
  if (made.st_uid == status->st_uid && made.st_gid == status->st_gid) return;
  if (fchownat(to, name, status->st_uid, status->st_gid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0) give_up("its owner cannot be kept");
}

static struct copied *place_for(ino_t inode) {
  size_t slot = (size_t)(inode * 11400714819323198485u) & (copied_capacity - 1);
  while (copied[slot].path != NULL && copied[slot].inode != inode) slot = (slot + 1) & (copied_capacity - 1);
  return &copied[slot];
}

static const char *copied_before(ino_t inode) { return copied_capacity == 0 ? NULL : place_for(inode)->path; }

static void make_room(void) {
  struct copied *old = copied;
  size_t capacity = copied_capacity;
  copied_capacity = capacity ? 2 * capacity : 64;
  copied = calloc(copied_capacity, sizeof *copied);
  if (copied == NULL) give_up("no memory");
  for (size_t i = 0; i < capacity; i++)
    if (old[i].path != NULL) *place_for(old[i].inode) = old[i];
  free(old);
}

static void remember(ino_t inode) {
  if (2 * copied_count >= copied_capacity) make_room();
  char *path = strdup(layer_path);
  if (path == NULL) give_up("no memory");
  *place_for(inode) = (struct copied){inode, path};
  copied_count++;
}

static void copy_file(int from, const char *name, int to, const struct stat *status) {
  const char *first = status->st_nlink > 1 ? copied_before(status->st_ino) : NULL;
  if (first != NULL && linkat(root, first, to, name, 0) == 0) return;
  int source = open_in(from, name, O_RDONLY);
  int copy = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (copy < 0) give_up("the copy cannot be made");
  copy_bytes(source, copy, status->st_size);
  give_owner(copy, "", status);
  copy_attributes(from, name, copy, to);
  finish(copy, status);
  close(source);
  if (close(copy) != 0) give_up("the copy cannot be written");
  if (status->st_nlink > 1 && first == NULL) remember(status->st_ino);
}

static void copy_link(int from, const char *name, int to, const struct stat *status) {
  char text[MAX_PATH];
  const struct timespec times[2] = {status->st_atim, status->st_mtim};
  ssize_t length = readlinkat(from, name, text, sizeof text - 1);
  if (length < 0) give_up("cannot be read");
  text[length] = '\0';
  if (symlinkat(text, to, name) != 0) give_up("the copy cannot be made");
  give_owner(to, name, status);
  copy_attributes(from, name, -1, to);
  if (utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) != 0) give_up("its times cannot be kept");
}

static void copy_special(const char *name, int to, const struct stat *status) {
  const struct timespec times[2] = {status->st_atim, status->st_mtim};
  if (mknodat(to, name, status->st_mode, 0) != 0) give_up("the copy cannot be made");
  /* Whose a whiteout is, nobody sees: an engine makes it as root. */
  if (is_whiteout(status)) return;
  give_owner(to, name, status);
  if (utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) != 0) give_up("its times cannot be kept");
}

void copy_entry(int from, const char *name, int to, const struct stat *status) {
  if (S_ISREG(status->st_mode)) copy_file(from, name, to, status);
  else if (S_ISLNK(status->st_mode)) copy_link(from, name, to, status);
  else if (is_whiteout(status) || S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode)) copy_special(name, to, status);
  else errno = 0, give_up("a device");
}

int make_directory(int to, const char *name) {
  if (mkdirat(to, name, 0700) != 0) give_up("the copy cannot be made");
  return open_in(to, name, O_RDONLY | O_DIRECTORY);
}

void finish_directory(int from, const char *name, int copy, const struct stat *status) {
  give_owner(copy, "", status);
  copy_attributes(from, name, copy, -1);
  finish(copy, status);
}
