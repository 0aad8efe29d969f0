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

static int open_in(int directory, const char *name, int flags) {
  int file = openat(directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) give_up("cannot be opened");
  return file;
}

static bool has_attribute(int directory, const char *name, const char *attribute, char *value) {
  char place[4500];
  snprintf(place, sizeof place, "/proc/self/fd/%d/%s", directory, name);
  ssize_t length = lgetxattr(place, attribute, value, 1);
  /* ERANGE: longer than one character, so it is there. */
  if (length >= 0 || errno == ERANGE) return true;
  if (errno != ENODATA && errno != EOPNOTSUPP) give_up("its attributes cannot be read");
  return false;
}

/* Features that were not asked for at mount time: a tree that has them means something else than it shows. */
static void refuse_features(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "trusted.overlay.redirect", &value) && !has_attribute(upper, name, "trusted.overlay.metacopy", &value)) return;
  errno = 0;
  give_up("an overlay with redirects or without content");
}

static bool is_opaque(int upper, const char *name) {
  char value = 0;
  if (!has_attribute(upper, name, "trusted.overlay.opaque", &value)) return false;
  errno = 0;
  if (value != 'y') give_up("an opaque directory of an unknown kind");
  return true;
}

static void print_deleted(int lower, const char *name, const struct stat *status) {
  print("deleted", status);
  if (!S_ISDIR(status->st_mode)) return;
  struct names names;
  int directory = open_in(lower, name, O_RDONLY | O_DIRECTORY);
  if (!read_names(directory, SIZE_MAX, &names)) give_up("cannot be listed");
  for (size_t i = 0; i < names.count; i++) {
    struct stat inner;
    size_t before = push(names.items[i]);
    if (fstatat(directory, names.items[i], &inner, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
    print_deleted(directory, names.items[i], &inner);
    pop(before);
  }
  free_names(&names);
  close(directory);
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

static void compare_directories(int upper, int lower, bool hides_lower);

static void enter(int upper, int lower, const char *name, bool hides_lower) {
  int inner_upper = open_in(upper, name, O_RDONLY | O_DIRECTORY);
  int inner_lower = lower < 0 ? -1 : open_in(lower, name, O_RDONLY | O_DIRECTORY);
  compare_directories(inner_upper, inner_lower, hides_lower);
  close(inner_upper);
  if (inner_lower >= 0) close(inner_lower);
}

/* Setuid and its kin never land: bits that are only added are no change, or it would be listed for ever. */
static bool has_other_mode(mode_t was, mode_t now) { return (was & 07777) != (now & 07777) && (was & 07777) != (now & 0777); }

/* `was`: what the lower has there, NULL when nothing. */
static void compare_entry(int upper, int lower, const char *name, const struct stat *was, bool hides_lower) {
  struct stat now;
  if (fstatat(upper, name, &now, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
  if (S_ISCHR(now.st_mode) && now.st_rdev == makedev(0, 0)) {
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
  else if (!is_directory && (was->st_size != now.st_size || !same_content(upper, lower, name, &now))) print("modified", &now);
  else if (!S_ISLNK(now.st_mode) && has_other_mode(was->st_mode, now.st_mode)) print("mode", &now);
  if (is_directory) enter(upper, is_same_type ? lower : -1, name, hides_lower || is_opaque(upper, name));
}

static void compare_directories(int upper, int lower, bool hides_lower) {
  struct names names, hidden = {0};
  if (!read_names(upper, SIZE_MAX, &names)) give_up("cannot be listed");
  if (hides_lower && lower >= 0 && !read_names(lower, SIZE_MAX, &hidden)) give_up("cannot be listed");
  for (size_t above = 0, below = 0; above < names.count || below < hidden.count;) {
    bool is_below_next = below < hidden.count && (above == names.count || strcmp(hidden.items[below], names.items[above]) < 0);
    const char *name = is_below_next ? hidden.items[below++] : names.items[above++];
    struct stat was;
    size_t before = push(name);
    bool has_lower = lower >= 0 && fstatat(lower, name, &was, AT_SYMLINK_NOFOLLOW) == 0;
    if (lower >= 0 && !has_lower && errno != ENOENT) give_up("cannot be looked at");
    if (!is_below_next) compare_entry(upper, lower, name, has_lower ? &was : NULL, hides_lower);
    else if (has_lower && !has_name(&names, name)) print_deleted(lower, name, &was);
    pop(before);
  }
  free_names(&names);
  free_names(&hidden);
}

int verb_changes(const char *upper_path, const char *lower_path) {
  /* Two for each directory between a root and the deepest one. */
  allow_many_files();
  int upper = open_plain(upper_path, O_RDONLY | O_DIRECTORY), lower = upper < 0 ? -1 : open_plain(lower_path, O_RDONLY | O_DIRECTORY);
  if (upper < 0 || lower < 0) give_up("the layers cannot be opened");
  compare_directories(upper, lower, is_opaque(upper, "."));
  return fflush(stdout) == 0 ? 0 : 1;
}
