/* A layer of an overlay as it is now, kept beside it; and such a copy made a layer again. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../supervisor/files/names.h"
#include "copy.h"
#include "layer.h"
#include "open.h"
#include "snapshot-index.h"
#include "verbs.h"

/* How far a file's time of change may lag behind the clock: a tick of the kernel, and what a file system rounds away that knows seconds alone. */
#define TICK_NS 20000000ll
#define COARSE_NS 2000000000ll

struct bounds {
  uint64_t entries, bytes;
};

/* What all files take. */
static uint64_t total;

static struct bounds most, found;
static struct snapshot_index before, now;
static bool is_same;

/* The directory of the copy before that belongs to the one at hand, -1 where there is none: its owner may have no right to it there either. */
struct kept {
  int directory;
  struct right right;
};
static const struct kept NOT_KEPT = {-1, {.entry = -1}};

static struct kept enter_kept(struct kept above, const char *name) {
  struct stat status;
  if (above.directory < 0 || fstatat(above.directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return NOT_KEPT;
  struct kept kept = {.right = let_in(above.directory, name)};
  kept.directory = open_in(above.directory, name, O_RDONLY | O_DIRECTORY);
  return kept;
}

static void leave_kept(struct kept *kept) {
  if (kept->directory >= 0) close(kept->directory);
  shut_out(&kept->right);
}

/* Whether a file may have changed after the snapshot before was begun, without its time of change saying so. */
static bool may_have_changed(const struct index_entry *was) {
  int64_t slack = was->ctime_ns % 1000000000ll == 0 ? COARSE_NS : TICK_NS;
  return was->ctime_ns >= before.begun_ns - slack;
}

static bool has_same_content(int directory, struct kept kept, const char *name) {
  struct stat status;
  if (kept.directory < 0 || fstatat(kept.directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return false;
  int file = open_in(directory, name, O_RDONLY), copy = open_in(kept.directory, name, O_RDONLY);
  bool is_equal = same_bytes(file, copy);
  close(file);
  close(copy);
  return is_equal;
}

/* Whether the copy of the snapshot before is what is here now. */
static bool is_kept(int directory, struct kept kept, const char *name, struct index_entry *is) {
  const struct index_entry *was = find_entry(&before, layer_path);
  if (was == NULL || was->inode != is->inode || was->mode != is->mode || was->uid != is->uid || was->gid != is->gid) return false;
  if (was->size != is->size || was->mtime_ns != is->mtime_ns) return false;
  if (S_ISDIR(is->mode)) return (is->attributes = attributes_of(directory, name)) == was->attributes;
  if (!S_ISREG(is->mode)) return true;
  is->attributes = was->attributes;
  if (was->ctime_ns == is->ctime_ns && !may_have_changed(was)) return true;
  return (is->attributes = attributes_of(directory, name)) == was->attributes && has_same_content(directory, kept, name);
}

/* More than the bounds is no fault: the answer says it. */
static void end_beyond(const char *what, uint64_t number) {
  printf("%s %llu\n", what, (unsigned long long)number);
  exit(fflush(stdout) == 0 ? 0 : 1);
}

static void look(int directory, struct kept kept) {
  struct names names;
  if (!read_names(directory, most.entries - found.entries, &names)) {
    if (errno == 0) end_beyond("too-many", most.entries);
    give_up("cannot be listed");
  }
  for (size_t i = 0; i < names.count; i++) {
    struct stat status;
    const char *name = names.items[i];
    size_t at = push(name);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
    if (!is_whiteout(&status)) {
      if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) errno = 0, give_up("a device");
      refuse_features(directory, name);
    }
    if (++found.entries > most.entries) end_beyond("too-many", most.entries);
    struct right right = let_in(directory, name);
    struct index_entry entry = index_entry_of(&status, layer_path);
    if (S_ISREG(status.st_mode)) total += room_of(&status);
    entry.is_kept = is_kept(directory, kept, name, &entry);
    if (!entry.is_kept) {
      is_same = false;
      if (!S_ISLNK(status.st_mode)) entry.attributes = attributes_of(directory, name);
      if (S_ISREG(status.st_mode)) found.bytes += room_of(&status);
      if (found.bytes > most.bytes) end_beyond("too-large", found.bytes);
    }
    size_t index = add_entry(&now, &entry);
    if (S_ISDIR(status.st_mode)) {
      int inner = open_in(directory, name, O_RDONLY | O_DIRECTORY);
      struct kept inner_kept = enter_kept(kept, name);
      look(inner, inner_kept);
      leave_kept(&inner_kept);
      close(inner);
    }
    shut_out(&right);
    /* Having been let in is a change of its own. */
    if (right.entry >= 0 && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0) set_change_time(&now, index, &status);
    pop(at);
  }
  free_names(&names);
}

/* The walk of `look` again: nothing writes meanwhile, and what differs nonetheless ends it. */
static size_t position;

static const struct index_entry *next_entry(const struct stat *status) {
  const struct index_entry *entry = position < now.count ? &now.entries[position++] : NULL;
  errno = 0;
  if (entry == NULL || strcmp(entry->path, layer_path) != 0) give_up("it changed meanwhile");
  bool is_file = S_ISREG(status->st_mode);
  if (entry->mode != status->st_mode || (is_file && entry->size != status->st_size)) give_up("it is not what it was");
  return entry;
}

static void copy_all(int from, struct kept kept, int to);

static void copy_one(int from, struct kept kept, const char *name, int to) {
  struct stat status;
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0) give_up("cannot be looked at");
  struct right right = let_in(from, name);
  const struct index_entry *entry = next_entry(&status);
  if (S_ISDIR(status.st_mode)) {
    int inner_from = open_in(from, name, O_RDONLY | O_DIRECTORY), inner_to = make_directory(to, name);
    struct kept inner_kept = enter_kept(kept, name);
    copy_all(inner_from, inner_kept, inner_to);
    leave_kept(&inner_kept);
    finish_directory(from, name, inner_to, &status);
    close(inner_from);
    close(inner_to);
  } else if (!entry->is_kept || !S_ISREG(status.st_mode) || linkat(kept.directory, name, to, name, 0) != 0) copy_entry(from, name, to, &status);
  shut_out(&right);
}

static void copy_all(int from, struct kept kept, int to) {
  struct names names;
  if (!read_names(from, SIZE_MAX, &names)) give_up("cannot be listed");
  for (size_t i = 0; i < names.count; i++) {
    size_t at = push(names.items[i]);
    copy_one(from, kept, names.items[i], to);
    pop(at);
  }
  free_names(&names);
}

static int open_directory(const char *path, const char *what) {
  int directory = open_plain(path, O_RDONLY | O_DIRECTORY);
  if (directory < 0) give_up(what);
  return directory;
}

static void copy_layer(int from, struct kept kept, const char *target) {
  struct stat status;
  int to = open_directory(target, "the copy's place cannot be opened");
  if (fstat(from, &status) != 0) give_up("the layer cannot be looked at");
  begin_copies(to);
  copy_all(from, kept, to);
  finish_directory(from, ".", to, &status);
  close(to);
}

/* UPPER user|trusted MAX-ENTRIES MAX-BYTES settled|unsettled BEFORE|- INDEX-BEFORE|- [TARGET INDEX] */
int verb_snapshot(const char *const *arguments, int count) {
  struct timespec clock;
  allow_many_files();
  umask(0);
  choose_attributes(arguments[1]);
  most = (struct bounds){strtoull(arguments[2], NULL, 10), strtoull(arguments[3], NULL, 10)};
  int upper = open_directory(arguments[0], "the layer cannot be opened");
  struct kept kept = NOT_KEPT;
  if (strcmp(arguments[5], "-") != 0) {
    kept.directory = open_directory(arguments[5], "the snapshot before cannot be opened");
    if (!read_index(arguments[6], &before)) give_up("the index of the snapshot before cannot be read");
  }
  clock_gettime(CLOCK_REALTIME_COARSE, &clock);
  /* What a process still has mapped may change without a new time: nothing of this snapshot is taken for unchanged unseen. */
  now.begun_ns = strcmp(arguments[4], "settled") == 0 ? (int64_t)clock.tv_sec * 1000000000ll + clock.tv_nsec : 0;
  is_same = kept.directory >= 0;
  look(upper, kept);
  if (now.count != before.count) is_same = false;
  if (count > 7) {
    copy_layer(upper, kept, arguments[7]);
    if (!write_index(arguments[8], &now)) give_up("the index cannot be written");
  }
  const char *state = now.count == 0 ? "empty" : is_same ? "same" : "changed";
  printf("%s %zu %llu %llu\n", state, now.count, (unsigned long long)found.bytes, (unsigned long long)total);
  return fflush(stdout) == 0 ? 0 : 1;
}

/* SNAPSHOT INDEX TARGET user|trusted */
int verb_lay(const char *const *arguments) {
  allow_many_files();
  umask(0);
  choose_attributes(arguments[3]);
  int from = open_directory(arguments[0], "the snapshot cannot be opened");
  if (!read_index(arguments[1], &now)) give_up("the index of the snapshot cannot be read");
  for (size_t i = 0; i < now.count; i++) now.entries[i].is_kept = false;
  copy_layer(from, NOT_KEPT, arguments[2]);
  errno = 0;
  if (position != now.count) give_up("the snapshot is not whole");
  return 0;
}
