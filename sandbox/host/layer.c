/* Walking a layer of an overlay: where the walk is, opening what a run may have closed, and the overlay's marks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "layer.h"

char layer_path[MAX_PATH];
size_t layer_path_length;

/* The namespace of the attributes in which the overlay keeps its marks; in the other one whatever stands there is a command's own. */
static const char *attributes;

/* An incomplete list must not be taken for a whole one: there is no way back from here. */
_Noreturn void give_up(const char *what) {
  fprintf(stderr, "warder-host: %s: ", what);
  for (const char *place = layer_path; *place; place++) fputc((unsigned char)*place < ' ' ? '?' : *place, stderr);
  fprintf(stderr, ": %s\n", errno ? strerror(errno) : "not understood");
  exit(1);
}

size_t push(const char *name) {
  size_t before = layer_path_length, length = strlen(name);
  errno = ENAMETOOLONG;
  if (before + length + 2 > sizeof layer_path) give_up("a path is too long");
  if (before > 0) layer_path[layer_path_length++] = '/';
  memcpy(layer_path + layer_path_length, name, length + 1);
  layer_path_length += length;
  return before;
}

void pop(size_t before) {
  layer_path_length = before;
  layer_path[before] = '\0';
}

/* A run may take the rights to its own files away from everybody, also from who reviews them and is not root: `give_back` takes them away again. -1: it is not ours to read. */
static int take_right(int directory, const char *name, struct stat *status, char place[64]) {
  int entry = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  bool is_ours = entry >= 0 && fstat(entry, status) == 0 && status->st_uid == geteuid() && !S_ISLNK(status->st_mode);
  snprintf(place, 64, "/proc/self/fd/%d", entry);
  if (is_ours && chmod(place, (status->st_mode & 07777) | (S_ISDIR(status->st_mode) ? 0500 : 0400)) == 0) return entry;
  if (entry >= 0) close(entry);
  errno = EACCES;
  return -1;
}

static void give_back(int entry, const struct stat *status, const char *place) {
  int reason = errno;
  chmod(place, status->st_mode & 07777);
  close(entry);
  errno = reason;
}

static int open_closed(int directory, const char *name, int flags) {
  char place[64];
  struct stat status;
  int entry = take_right(directory, name, &status, place);
  if (entry < 0) return -1;
  /* By its name: the place in /proc is a link. */
  int file = openat(directory, name, flags);
  give_back(entry, &status, place);
  return file;
}

int open_in(int directory, const char *name, int flags) {
  int all = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int file = openat(directory, name, all);
  if (file < 0 && errno == EACCES) file = open_closed(directory, name, all);
  if (file < 0) give_up("cannot be opened");
  return file;
}

bool is_whiteout(const struct stat *status) { return S_ISCHR(status->st_mode) && status->st_rdev == makedev(0, 0); }

static ssize_t read_closed_attribute(int directory, const char *name, const char *attribute, char *value) {
  char place[64];
  struct stat status;
  int entry = take_right(directory, name, &status, place);
  if (entry < 0) return -1;
  ssize_t length = getxattr(place, attribute, value, 1);
  give_back(entry, &status, place);
  return length;
}

static bool has_attribute(int directory, const char *name, const char *attribute, char *value) {
  char place[4500], full[64];
  snprintf(place, sizeof place, "/proc/self/fd/%d/%s", directory, name);
  snprintf(full, sizeof full, "%s.overlay.%s", attributes, attribute);
  ssize_t length = lgetxattr(place, full, value, 1);
  /* Reading one in `user` wants the right to read what it belongs to. */
  if (length < 0 && errno == EACCES) length = read_closed_attribute(directory, name, full, value);
  /* ERANGE: longer than one character, so it is there. */
  if (length >= 0 || errno == ERANGE) return true;
  if (errno != ENODATA && errno != EOPNOTSUPP) give_up("its attributes cannot be read");
  return false;
}

/* Features that were not asked for at mount time: a tree that has them means something else than it shows. */
void refuse_features(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "redirect", &value) && !has_attribute(upper, name, "metacopy", &value)) return;
  errno = 0;
  give_up("an overlay with redirects or without content");
}

bool is_opaque(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "opaque", &value)) return false;
  errno = 0;
  if (value != 'y') give_up("an opaque directory of an unknown kind");
  return true;
}

struct right let_in(int directory, const char *name) {
  struct right right = {.entry = -1};
  struct stat status;
  if (directory < 0 || geteuid() == 0 || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return right;
  bool is_closed = S_ISDIR(status.st_mode) ? (status.st_mode & 0500) != 0500 : S_ISREG(status.st_mode) && (status.st_mode & 0400) == 0;
  if (is_closed) right.entry = take_right(directory, name, &right.status, right.place);
  return right;
}

void shut_out(const struct right *right) {
  if (right->entry >= 0) give_back(right->entry, &right->status, right->place);
}

void choose_attributes(const char *name_space) {
  errno = 0;
  if (strcmp(name_space, "user") != 0 && strcmp(name_space, "trusted") != 0) give_up("the attributes are those of user or trusted");
  attributes = name_space;
}

