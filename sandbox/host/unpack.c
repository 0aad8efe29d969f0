/* Makes a layer of an overlay from a stream that nobody vouches for. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "layer.h"
#include "open.h"
#include "parcel.h"
#include "record.h"
#include "verbs.h"

static struct limits {
  uint64_t bytes, entries;
} left;

/* Of one file; holes in it are not spent. */
static uint64_t largest;

static uint64_t entries;

/* Who owns what is made; -1: this process's user. */
static uid_t uid = (uid_t)-1;
static gid_t gid = (gid_t)-1;

static _Noreturn void refuse(const char *what) {
  errno = 0;
  give_up(what);
}

static void take_text(char *text, size_t size) {
  for (size_t length = 0; length < size; length++) {
    int byte = getchar();
    if (byte == EOF) refuse("the stream ended early");
    text[length] = (char)byte;
    if (byte == 0) return;
  }
  refuse("a word is too long");
}

static uint64_t take_number(uint64_t limit) {
  char text[24];
  uint64_t number;
  take_text(text, sizeof text);
  if (!read_number(text, 10, limit, &number)) refuse("a number is none, or too large");
  return number;
}

/* The mode and times that an entry gets when it is complete. */
struct entry {
  char name[MAX_NAME + 1];
  mode_t mode;
  struct timespec times[2];
};

static bool is_name(const char *name) { return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0; }

static void take_entry(struct entry *entry) {
  char seconds[24];
  take_text(entry->name, sizeof entry->name);
  if (!is_name(entry->name)) refuse("a name is none");
  entry->mode = (mode_t)take_number(07777);
  take_text(seconds, sizeof seconds);
  uint64_t magnitude;
  bool is_before = seconds[0] == '-';
  if (!read_number(seconds + is_before, 10, INT64_MAX / 2, &magnitude)) refuse("a time is none");
  entry->times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
  entry->times[1] = (struct timespec){.tv_sec = is_before ? -(time_t)magnitude : (time_t)magnitude, .tv_nsec = (long)take_number(999999999)};
  if (left.entries == 0) refuse("there are more entries than may be brought back");
  left.entries--;
  entries++;
}

static void own(int directory, const char *name) {
  if (uid != (uid_t)-1 && fchownat(directory, name, uid, gid, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be given its owner");
}

static void spend(uint64_t bytes) {
  if (bytes > left.bytes) refuse("there is more than may be brought back");
  left.bytes -= bytes;
}

static void fill(int file, uint64_t from, uint64_t length) {
  static uint8_t chunk[65536];
  while (length > 0) {
    size_t want = length < sizeof chunk ? (size_t)length : sizeof chunk;
    if (fread(chunk, 1, want, stdin) != want) refuse("the stream ended early");
    for (size_t done = 0; done < want;) {
      ssize_t part = pwrite(file, chunk + done, want - done, (off_t)(from + done));
      if (part < 0 && errno == EINTR) continue;
      if (part <= 0) give_up("cannot be written");
      done += (size_t)part;
    }
    from += want;
    length -= want;
  }
}

static void make_file(int directory, const struct entry *entry) {
  uint64_t size = take_number(largest);
  int file = openat(directory, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) give_up("cannot be made");
  for (uint64_t at = 0;;) {
    uint64_t offset = take_number(size), length = take_number(size - offset);
    if (offset < at) refuse("a part of a file lies before another");
    if (length == 0) break;
    spend(length);
    fill(file, offset, length);
    at = offset + length;
  }
  own(directory, entry->name);
  bool is_done = ftruncate(file, (off_t)size) == 0 && fchmod(file, entry->mode) == 0 && futimens(file, entry->times) == 0;
  if (!is_done) give_up("cannot be completed");
  close(file);
}

static void make_link(int directory, const struct entry *entry) {
  char text[MAX_PATH];
  take_text(text, sizeof text);
  if (symlinkat(text, directory, entry->name) != 0) give_up("cannot be made");
  own(directory, entry->name);
}

static void make_node(int directory, const struct entry *entry, mode_t type) {
  if (mknodat(directory, entry->name, type | 0600, 0) != 0) give_up("cannot be made");
  own(directory, entry->name);
  /* A whiteout is only ever asked whether it is there. */
  if (type != S_IFCHR && fchmodat(directory, entry->name, entry->mode, 0) != 0) give_up("cannot be given its mode");
}

static void fill_directory(int directory);

static void make_directory(int directory, const struct entry *entry) {
  bool is_opaque = take_number(1) == 1;
  if (mkdirat(directory, entry->name, 0700) != 0) give_up("cannot be made");
  int inner = openat(directory, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) give_up("cannot be opened");
  if (is_opaque && fsetxattr(inner, "user.overlay.opaque", "y", 1, 0) != 0) give_up("cannot be marked");
  fill_directory(inner);
  own(directory, entry->name);
  if (fchmod(inner, entry->mode) != 0 || futimens(inner, entry->times) != 0) give_up("cannot be completed");
  close(inner);
}

static void fill_directory(int directory) {
  for (;;) {
    char kind[16];
    struct entry entry;
    take_text(kind, sizeof kind);
    if (strcmp(kind, PARCEL_LEAVE) == 0) return;
    take_entry(&entry);
    size_t before = push(entry.name);
    if (strcmp(kind, PARCEL_FILE) == 0) make_file(directory, &entry);
    else if (strcmp(kind, PARCEL_DIRECTORY) == 0) make_directory(directory, &entry);
    else if (strcmp(kind, PARCEL_LINK) == 0) make_link(directory, &entry);
    else if (strcmp(kind, PARCEL_WHITEOUT) == 0) make_node(directory, &entry, S_IFCHR);
    else if (strcmp(kind, PARCEL_FIFO) == 0) make_node(directory, &entry, S_IFIFO);
    else if (strcmp(kind, PARCEL_SOCKET) == 0) make_node(directory, &entry, S_IFSOCK);
    else refuse("an entry of an unknown kind");
    pop(before);
  }
}

int verb_unpack(const char *const *arguments, int count) {
  uint32_t ids[2] = {UINT32_MAX, UINT32_MAX};
  char word[16];
  struct stat status;
  allow_many_files();
  if (!read_number(arguments[1], 10, INT64_MAX, &left.bytes) || !read_number(arguments[2], 10, INT64_MAX, &left.entries)) return EXIT_ARGUMENTS;
  if (count == 5 && (!read_owner(arguments[3], &ids[0]) || !read_owner(arguments[4], &ids[1]))) return EXIT_ARGUMENTS;
  largest = left.bytes;
  uid = ids[0];
  gid = ids[1];
  umask(0);
  int root = open_plain(arguments[0], O_RDONLY | O_DIRECTORY);
  if (root < 0 || fstat(root, &status) != 0) give_up("the directory cannot be opened");
  take_text(word, sizeof word);
  if (strcmp(word, PARCEL_BEGIN) != 0) refuse("the stream is no layer");
  mode_t mode = (mode_t)take_number(07777);
  fill_directory(root);
  take_text(word, sizeof word);
  if (strcmp(word, PARCEL_END) != 0 || take_number(UINT64_MAX) != entries || getchar() != EOF) refuse("the stream does not end as a layer does");
  if (fchmod(root, mode) != 0 || (uid != (uid_t)-1 && fchown(root, uid, gid) != 0)) give_up("cannot be completed");
  return 0;
}
