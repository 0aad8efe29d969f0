/* Writes a layer of an overlay as a stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../supervisor/files/names.h"
#include "layer.h"
#include "open.h"
#include "parcel.h"
#include "verbs.h"

static uint64_t entries;

static void put_text(const char *text) {
  if (fwrite(text, 1, strlen(text) + 1, stdout) != strlen(text) + 1) give_up("cannot be written");
}

static void put_number(uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  put_text(text);
}

/* KIND NAME MODE SECONDS NANOSECONDS */
static void put_entry(const char *kind, const char *name, const struct stat *status) {
  char seconds[24];
  snprintf(seconds, sizeof seconds, "%lld", (long long)status->st_mtim.tv_sec);
  entries++;
  put_text(kind);
  put_text(name);
  put_number(status->st_mode & 07777);
  put_text(seconds);
  put_number((uint64_t)status->st_mtim.tv_nsec);
}

static void put_bytes(int file, off_t from, off_t to) {
  static uint8_t chunk[65536];
  put_number((uint64_t)from);
  put_number((uint64_t)(to - from));
  while (from < to) {
    size_t want = to - from < (off_t)sizeof chunk ? (size_t)(to - from) : sizeof chunk;
    ssize_t length = pread(file, chunk, want, from);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) give_up("cannot be read");
    /* It became shorter meanwhile: what was promised is made up with zeros. */
    if (length == 0) memset(chunk, 0, want), length = (ssize_t)want;
    if (fwrite(chunk, 1, (size_t)length, stdout) != (size_t)length) give_up("cannot be written");
    from += length;
  }
}

/* SIZE, then OFFSET LENGTH and so many bytes for each part that is no hole, then the size and a length of 0. */
static void put_file(int directory, const char *name, const struct stat *status) {
  int file = open_in(directory, name, O_RDONLY);
  put_number((uint64_t)status->st_size);
  for (off_t at = 0; at < status->st_size;) {
    off_t data = lseek(file, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    if (data < 0) data = at;
    off_t hole = lseek(file, data, SEEK_HOLE);
    if (hole < 0 || hole > status->st_size) hole = status->st_size;
    if (data >= hole) break;
    put_bytes(file, data, hole);
    at = hole;
  }
  put_number((uint64_t)status->st_size);
  put_number(0);
  close(file);
}

static void put_directory(int directory);

static void put_one(int directory, const char *name) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    /* While a run goes on, its temporary files come and go. */
    if (errno == ENOENT) return;
    give_up("cannot be looked at");
  }
  if (is_whiteout(&status)) {
    put_entry(PARCEL_WHITEOUT, name, &status);
    return;
  }
  refuse_features(directory, name);
  /* What cannot be named cannot be looked at: it is a change that never lands, as `changes` has it. */
  bool is_too_deep = S_ISDIR(status.st_mode) && layer_path_length + 1 + MAX_NAME >= MAX_PATH;
  if (S_ISREG(status.st_mode)) {
    put_entry(PARCEL_FILE, name, &status);
    put_file(directory, name, &status);
  } else if (S_ISLNK(status.st_mode)) {
    char text[MAX_PATH];
    ssize_t length = readlinkat(directory, name, text, sizeof text - 1);
    if (length < 0) give_up("cannot be read");
    text[length] = '\0';
    put_entry(PARCEL_LINK, name, &status);
    put_text(text);
  } else if (S_ISDIR(status.st_mode) && !is_too_deep) {
    put_entry(PARCEL_DIRECTORY, name, &status);
    put_number(is_opaque(directory, name) ? 1 : 0);
    struct right right = let_in(directory, name);
    int inner = open_in(directory, name, O_RDONLY | O_DIRECTORY);
    put_directory(inner);
    close(inner);
    shut_out(&right);
  } else if (S_ISFIFO(status.st_mode) || is_too_deep) put_entry(PARCEL_FIFO, name, &status);
  else if (S_ISSOCK(status.st_mode)) put_entry(PARCEL_SOCKET, name, &status);
  else {
    errno = 0;
    give_up("a device");
  }
}

static void put_directory(int directory) {
  struct names names;
  if (!read_names(directory, SIZE_MAX, &names)) give_up("cannot be listed");
  for (size_t i = 0; i < names.count; i++) {
    size_t before = push(names.items[i]);
    put_one(directory, names.items[i]);
    pop(before);
  }
  free_names(&names);
  put_text(PARCEL_LEAVE);
}

int verb_pack(const char *upper_path, const char *name_space) {
  struct stat status;
  allow_many_files();
  choose_attributes(name_space);
  int upper = open_plain(upper_path, O_RDONLY | O_DIRECTORY);
  if (upper < 0 || fstat(upper, &status) != 0) give_up("the layer cannot be opened");
  put_text(PARCEL_BEGIN);
  put_number(status.st_mode & 07777);
  put_directory(upper);
  put_text(PARCEL_END);
  put_number(entries);
  return fflush(stdout) == 0 ? 0 : 1;
}
