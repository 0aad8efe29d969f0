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
#include "attributes.h"
#include "copy.h"
#include "layer.h"
#include "open.h"
#include "verbs.h"

/* The directory of the mask layer that belongs to the lower one at hand, -1 where there is none: a whiteout in it hides what the lower has. */
struct lower {
  int directory, mask;
};
static const struct lower NO_LOWER = {-1, -1};

static const char *type_name(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "directory";
  return S_ISLNK(mode) ? "link" : "other";
}

/* Where an entry lies, to look at what it has beside its content: -1 for nothing. */
struct sides {
  int upper, lower;
  const char *name;
};

static void print(const char *kind, const struct stat *status, const struct sides *sides) {
  printf("%s%c%s%c%lld%c%o%c%u%c%u%c", kind, 0, type_name(status->st_mode), 0, (long long)status->st_size, 0, status->st_mode & 07777, 0, status->st_uid, 0, status->st_gid, 0);
  printf("%lld%09ld%c%llu", (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec, 0, (unsigned long long)status->st_nlink);
  if (sides != NULL && S_ISREG(status->st_mode)) print_attributes(sides->upper, sides->lower, sides->name);
  printf("%c%s%c", 0, layer_path, 0);
}

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

static void print_deleted(struct lower lower, const char *name, const struct stat *status) {
  print("deleted", status, NULL);
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
  if (is_directory && layer_path_length + 1 + MAX_NAME >= sizeof layer_path) {
    now.st_mode = S_IFIFO;
    print("added", &now, NULL);
    return;
  }
  const struct sides sides = {upper, is_same_type ? lower.directory : -1, name};
  if (!is_same_type) print("added", &now, &sides);
  else if (!is_directory && (was->st_size != now.st_size || !same_content(upper, lower.directory, name, &now))) print("modified", &now, &sides);
  else if (!S_ISLNK(now.st_mode) && has_other_mode(was->st_mode, now.st_mode)) print("mode", &now, &sides);
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
    if (S_ISDIR(status.st_mode) && layer_path_length + 1 + MAX_NAME < sizeof layer_path) {
      if (is_opaque(directory, names.items[i])) printf("%s%c", layer_path, 0);
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
