/* What an overlay's upper directory makes of the lower, as a list of final paths. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../supervisor/files/names.h"
#include "open.h"
#include "verbs.h"

/* Longer ones no call takes as a whole, so nothing with such a path lands. */
#define MAX_PATH 4096
#define MAX_NAME 255

static char path[MAX_PATH];
static size_t path_length;

/* The namespace of the attributes in which the overlay keeps its marks; in the other one whatever stands there is a command's own. */
static const char *attributes;
/* The directory of the mask layer that belongs to the lower one at hand, -1 where there is none: a whiteout in it hides what the lower has. */
struct lower {
  int directory, mask;
};
static const struct lower NO_LOWER = {-1, -1};

/* An incomplete list must not be taken for a whole one: there is no way back from here. */
static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "warder-host: %s: ", what);
  for (const char *place = path; *place; place++) fputc((unsigned char)*place < ' ' ? '?' : *place, stderr);
  fprintf(stderr, ": %s\n", errno ? strerror(errno) : "not understood");
  exit(1);
}

static size_t push(const char *name) {
  size_t before = path_length, length = strlen(name);
  errno = ENAMETOOLONG;
  if (before + length + 2 > sizeof path) give_up("a path is too long");
  if (before > 0) path[path_length++] = '/';
  memcpy(path + path_length, name, length + 1);
  path_length += length;
  return before;
}

static void pop(size_t before) {
  path_length = before;
  path[before] = '\0';
}

static const char *type_name(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "directory";
  return S_ISLNK(mode) ? "link" : "other";
}

static void print(const char *kind, const struct stat *status) {
  printf("%s%c%s%c%lld%c%o%c%u%c%u%c", kind, 0, type_name(status->st_mode), 0, (long long)status->st_size, 0, status->st_mode & 07777, 0, status->st_uid, 0, status->st_gid, 0);
  printf("%lld%09ld%c%llu%c%s%c", (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec, 0, (unsigned long long)status->st_nlink, 0, path, 0);
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

static int open_in(int directory, const char *name, int flags) {
  int all = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int file = openat(directory, name, all);
  if (file < 0 && errno == EACCES) file = open_closed(directory, name, all);
  if (file < 0) give_up("cannot be opened");
  return file;
}

static bool is_whiteout(const struct stat *status) { return S_ISCHR(status->st_mode) && status->st_rdev == makedev(0, 0); }

/* What is to be seen of the lower layer, as it was for the run. */
static bool find_lower(struct lower lower, const char *name, struct stat *found) {
  struct stat mask;
  if (lower.directory < 0) return false;
  if (lower.mask >= 0 && fstatat(lower.mask, name, &mask, AT_SYMLINK_NOFOLLOW) == 0 && is_whiteout(&mask)) return false;
  if (fstatat(lower.directory, name, found, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno != ENOENT) give_up("cannot be looked at");
  return false;
}

static struct lower enter_lower(struct lower lower, const char *name) {
  int mask = lower.mask < 0 ? -1 : openat(lower.mask, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lower.mask >= 0 && mask < 0 && errno == EACCES) mask = open_in(lower.mask, name, O_RDONLY | O_DIRECTORY);
  if (lower.mask >= 0 && mask < 0 && errno != ENOENT && errno != ENOTDIR) give_up("its mask cannot be opened");
  return (struct lower){open_in(lower.directory, name, O_RDONLY | O_DIRECTORY), mask};
}

static void leave_lower(struct lower lower) {
  if (lower.directory >= 0) close(lower.directory);
  if (lower.mask >= 0) close(lower.mask);
}

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
static void refuse_features(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "redirect", &value) && !has_attribute(upper, name, "metacopy", &value)) return;
  errno = 0;
  give_up("an overlay with redirects or without content");
}

static bool is_opaque(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "opaque", &value)) return false;
  errno = 0;
  if (value != 'y') give_up("an opaque directory of an unknown kind");
  return true;
}

/* What lies in a directory is looked at by name, for which its owner must be let in as long as that goes on. */
struct right {
  int entry;
  struct stat status;
  char place[64];
};

static struct right let_in(int directory, const char *name) {
  struct right right = {.entry = -1};
  struct stat status;
  if (directory < 0 || geteuid() == 0 || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return right;
  if (S_ISDIR(status.st_mode) && (status.st_mode & 0500) != 0500) right.entry = take_right(directory, name, &right.status, right.place);
  return right;
}

static void shut_out(const struct right *right) {
  if (right->entry >= 0) give_back(right->entry, &right->status, right->place);
}

static void print_deleted(struct lower lower, const char *name, const struct stat *status) {
  print("deleted", status);
  if (!S_ISDIR(status->st_mode)) return;
  struct names names;
  struct right rights[] = {let_in(lower.directory, name), let_in(lower.mask, name)};
  struct lower inside = enter_lower(lower, name);
  if (!read_names(inside.directory, SIZE_MAX, &names)) give_up("cannot be listed");
  for (size_t i = 0; i < names.count; i++) {
    struct stat inner;
    size_t before = push(names.items[i]);
    if (find_lower(inside, names.items[i], &inner)) print_deleted(inside, names.items[i], &inner);
    pop(before);
  }
  free_names(&names);
  leave_lower(inside);
  for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) shut_out(&rights[i]);
}

static bool same_bytes(int left, int right) {
  static uint8_t chunks[2][65536];
  for (;;) {
    ssize_t first = read(left, chunks[0], sizeof chunks[0]), second = read(right, chunks[1], sizeof chunks[1]);
    if (first < 0 || second < 0) give_up("cannot be read");
    if (first != second || memcmp(chunks[0], chunks[1], (size_t)first) != 0) return false;
    if (first == 0) return true;
  }
}

static bool same_content(int upper, int lower, const char *name, const struct stat *status) {
  if (S_ISREG(status->st_mode)) {
    int left = open_in(upper, name, O_RDONLY), right = open_in(lower, name, O_RDONLY);
    bool is_same = same_bytes(left, right);
    close(left);
    close(right);
    return is_same;
  }
  if (!S_ISLNK(status->st_mode)) return false;
  char texts[2][4096];
  ssize_t lengths[2] = {readlinkat(upper, name, texts[0], sizeof texts[0]), readlinkat(lower, name, texts[1], sizeof texts[1])};
  if (lengths[0] < 0 || lengths[1] < 0) give_up("cannot be read");
  return lengths[0] == lengths[1] && memcmp(texts[0], texts[1], (size_t)lengths[0]) == 0;
}

static void compare_directories(int upper, struct lower lower, bool hides_lower);

static void enter(int upper, struct lower lower, const char *name, bool hides_lower) {
  struct right rights[] = {let_in(upper, name), let_in(lower.directory, name), let_in(lower.mask, name)};
  int inner_upper = open_in(upper, name, O_RDONLY | O_DIRECTORY);
  struct lower inner_lower = lower.directory < 0 ? NO_LOWER : enter_lower(lower, name);
  compare_directories(inner_upper, inner_lower, hides_lower);
  close(inner_upper);
  leave_lower(inner_lower);
  for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) shut_out(&rights[i]);
}

/* Setuid and its kin never land: bits that are only added are no change, or it would be listed for ever. */
static bool has_other_mode(mode_t was, mode_t now) { return (was & 07777) != (now & 07777) && (was & 07777) != (now & 0777); }

/* `was`: what the lower has there, NULL when nothing. */
static void compare_entry(int upper, struct lower lower, const char *name, const struct stat *was, bool hides_lower) {
  struct stat now;
  if (fstatat(upper, name, &now, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
  if (is_whiteout(&now)) {
    if (was != NULL) print_deleted(lower, name, was);
    return;
  }
  refuse_features(upper, name);
  bool is_directory = S_ISDIR(now.st_mode), is_same_type = was != NULL && (was->st_mode & S_IFMT) == (now.st_mode & S_IFMT);
  if (was != NULL && !is_same_type) print_deleted(lower, name, was);
  /* A run can nest directories without end (each `cd` is a short path); what cannot be named cannot be looked at, and must not keep the rest from it. */
  if (is_directory && path_length + 1 + MAX_NAME >= sizeof path) {
    now.st_mode = S_IFIFO;
    print("added", &now);
    return;
  }
  if (!is_same_type) print("added", &now);
  else if (!is_directory && (was->st_size != now.st_size || !same_content(upper, lower.directory, name, &now))) print("modified", &now);
  else if (!S_ISLNK(now.st_mode) && has_other_mode(was->st_mode, now.st_mode)) print("mode", &now);
  if (is_directory) enter(upper, is_same_type ? lower : NO_LOWER, name, hides_lower || is_opaque(upper, name));
}

static void compare_directories(int upper, struct lower lower, bool hides_lower) {
  struct names names, hidden = {0};
  if (!read_names(upper, SIZE_MAX, &names)) give_up("cannot be listed");
  if (hides_lower && lower.directory >= 0 && !read_names(lower.directory, SIZE_MAX, &hidden)) give_up("cannot be listed");
  for (size_t above = 0, below = 0; above < names.count || below < hidden.count;) {
    bool is_below_next = below < hidden.count && (above == names.count || strcmp(hidden.items[below], names.items[above]) < 0);
    const char *name = is_below_next ? hidden.items[below++] : names.items[above++];
    struct stat was;
    size_t before = push(name);
    bool has_lower = find_lower(lower, name, &was);
    if (!is_below_next) compare_entry(upper, lower, name, has_lower ? &was : NULL, hides_lower);
    else if (has_lower && !has_name(&names, name)) print_deleted(lower, name, &was);
    pop(before);
  }
  free_names(&names);
  free_names(&hidden);
}

static void choose_attributes(const char *name_space) {
  errno = 0;
  if (strcmp(name_space, "user") != 0 && strcmp(name_space, "trusted") != 0) give_up("the attributes are those of user or trusted");
  attributes = name_space;
}

int verb_changes(const char *const *arguments, int count) {
  /* Three for each directory between a root and the deepest one. */
  allow_many_files();
  choose_attributes(arguments[2]);
  int upper = open_plain(arguments[0], O_RDONLY | O_DIRECTORY);
  struct lower lower = {upper < 0 ? -1 : open_plain(arguments[1], O_RDONLY | O_DIRECTORY), -1};
  if (count > 3) lower.mask = open_plain(arguments[3], O_RDONLY | O_DIRECTORY);
  if (upper < 0 || lower.directory < 0 || (count > 3 && lower.mask < 0)) give_up("the layers cannot be opened");
  compare_directories(upper, lower, is_opaque(upper, "."));
  return fflush(stdout) == 0 ? 0 : 1;
}

/* Directories that hide what the lower has, by their paths. */
static void print_opaque(int directory) {
  struct names names;
  if (!read_names(directory, SIZE_MAX, &names)) give_up("cannot be listed");
  for (size_t i = 0; i < names.count; i++) {
    struct stat status;
    size_t before = push(names.items[i]);
    if (fstatat(directory, names.items[i], &status, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
    if (S_ISDIR(status.st_mode) && path_length + 1 + MAX_NAME < sizeof path) {
      if (is_opaque(directory, names.items[i])) printf("%s%c", path, 0);
      int inner = open_in(directory, names.items[i], O_RDONLY | O_DIRECTORY);
      print_opaque(inner);
      close(inner);
    }
    pop(before);
  }
  free_names(&names);
}

int verb_opaque(const char *upper_path, const char *name_space) {
  allow_many_files();
  choose_attributes(name_space);
  int upper = open_plain(upper_path, O_RDONLY | O_DIRECTORY);
  if (upper < 0) give_up("the layer cannot be opened");
  print_opaque(upper);
  close(upper);
  return fflush(stdout) == 0 ? 0 : 1;
}
