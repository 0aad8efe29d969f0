/* Performs reviewed changes on a real directory, each whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apply.h"
#include "attributes.h"
#include "hash.h"
#include "keep.h"
#include "open.h"
#include "record.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static int root, upper;
static struct stat root_status;
/* Permission bits that land. */
static mode_t landing_bits;
/* Into a run's view or layer. Only there are whiteouts made: in a workspace one is a device like any other. */
static bool is_restoring;
/* What landed is taken back: list and attributes are those of what was kept. */
static bool is_undoing;
/* Where what is replaced is kept, or -1. */
static int kept = -1;

enum answer error(const char *what) {
  wrong("%s: %s", what, strerror(errno));
  return ANSWER_ERROR;
}

enum answer conflict(const char *what) {
  wrong("%s", what);
  return ANSWER_CONFLICT;
}

static bool is_unchanged(const struct target *target) {
  struct stat now;
  const struct stat *then = &target->status;
  if (fstatat(target->parent, target->name, &now, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT && !target->exists;
  bool is_same_file = target->exists && now.st_ino == then->st_ino && now.st_dev == then->st_dev;
  return is_same_file && now.st_ctim.tv_sec == then->st_ctim.tv_sec && now.st_ctim.tv_nsec == then->st_ctim.tv_nsec;
}

static bool has_digest(const struct target *target, const char *expected) {
  uint8_t digest[SHA256_SIZE];
  char text[2 * SHA256_SIZE + 1];
  int file = openat(target->parent, target->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool is_done = file >= 0 && hash_file(file, digest);
  if (file >= 0) close(file);
  if (!is_done) return false;
  for (size_t i = 0; i < SHA256_SIZE; i++) sprintf(text + 2 * i, "%02x", digest[i]);
  return strcmp(text, expected) == 0;
}

static bool has_link_text(const struct target *target, const char *expected) {
  char text[4097];
  ssize_t length = readlinkat(target->parent, target->name, text, sizeof text - 1);
  if (length < 0) return false;
  text[length] = '\0';
  return strcmp(text, expected) == 0;
}

static bool is_expected(const struct target *target, const char *expected) {
  if (strcmp(expected, "any") == 0) return true;
  if (strcmp(expected, "absent") == 0) return !target->exists;
  if (!target->exists) return false;
  mode_t mode = target->status.st_mode;
  if (strcmp(expected, "directory") == 0) return S_ISDIR(mode);
  if (strncmp(expected, "link:", 5) == 0) return S_ISLNK(mode) && has_link_text(target, expected + 5);
  return S_ISREG(mode) && has_digest(target, expected);
}

static enum answer open_target(const char *path, const char *expected, struct target *target) {
  target->path = path;
  target->parent = open_parent(root, path, &target->name);
  if (target->parent < 0 && errno == EXDEV) return conflict("another file system is mounted there");
  if (target->parent < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? conflict("its directory is not there, or is a link") : error("its directory cannot be opened");
  target->exists = fstatat(target->parent, target->name, &target->status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!target->exists && errno != ENOENT) return error("it cannot be looked at");
  return is_expected(target, expected) ? ANSWER_OK : conflict("something else is there than was reviewed");
}

static void name_temporary(struct target *target) {
  uint64_t random = 0;
  if (syscall(SYS_getrandom, &random, sizeof random, 1u) < 0) random = (uint64_t)getpid();
  snprintf(target->temporary, sizeof target->temporary, ".warder-%016llx.tmp", (unsigned long long)random);
}

/* Before it is gone. That of something no copy can be made is no reason to leave it: whoever takes the landing back is told. */
static enum answer keep_target(struct target *target) {
  if (!is_unchanged(target)) return conflict("it changed meanwhile");
  if (kept < 0 || !target->exists) return ANSWER_OK;
  switch (keep_replaced(kept, target->path, target->parent, target->name, &target->status)) {
    case KEEPING_CHANGED: return conflict("it changed meanwhile");
    case KEEPING_FULL: return error("what it replaces cannot be kept");
    default: return ANSWER_OK;
  }
}

static enum answer put_in_place(struct target *target) {
  unsigned flags = target->exists ? 0 : RENAME_NOREPLACE;
  enum answer answer = keep_target(target);
  if (answer != ANSWER_OK) return answer;
  int result = (int)syscall(SYS_renameat2, target->parent, target->temporary, target->parent, target->name, flags);
  if (result != 0 && flags != 0 && errno == EINVAL) {
    /* A file system without NOREPLACE: a hard link never replaces either, and a directory replaces an empty one at most. */
    result = linkat(target->parent, target->temporary, target->parent, target->name, 0);
    if (result == 0) unlinkat(target->parent, target->temporary, 0);
    else if (errno == EPERM) result = renameat(target->parent, target->temporary, target->parent, target->name);
  }
  if (result != 0) return errno == EEXIST ? conflict("something else is there now") : error("it cannot be put in place");
  return ANSWER_OK;
}

static bool read_owners(char *const *fields, uid_t *uid, gid_t *gid) {
  uint32_t ids[2];
  if (!read_owner(fields[0], &ids[0]) || !read_owner(fields[1], &ids[1])) return false;
  *uid = ids[0] == UINT32_MAX ? root_status.st_uid : ids[0];
  *gid = ids[1] == UINT32_MAX ? root_status.st_gid : ids[1];
  return true;
}

/* From what is below `upper` under the same path. */
static bool take_attributes(const char *path, int to) {
  const char *name;
  int parent = open_parent(upper, path, &name);
  bool is_done = parent >= 0 && keep_attributes(parent, name, to);
  if (parent >= 0) close(parent);
  else wrong("what was kept cannot be opened: %s", strerror(errno));
  return is_done;
}

static bool has_own_attributes(const struct target *target, int to) {
  if (is_undoing) return take_attributes(target->path, to);
  return is_restoring || !target->exists || !S_ISREG(target->status.st_mode) || keep_attributes(target->parent, target->name, to);
}

enum answer settle(struct target *target, enum answer before) {
  target->waits = false;
  enum answer answer = before;
  if (answer == ANSWER_OK && target->file >= 0 && fsync(target->file) != 0) answer = error("the file cannot be synced");
  if (answer == ANSWER_OK) answer = put_in_place(target);
  if (target->file >= 0) close(target->file);
  target->file = -1;
  if (answer != ANSWER_OK) unlinkat(target->parent, target->temporary, 0);
  return answer;
}

/* fields: PATH EXPECTED MODE UID GID */
static enum answer put(char *const *fields, struct target *target) {
  uint64_t mode;
  uid_t uid;
  gid_t gid;
  struct stat status;
  if (!read_number(fields[2], 8, 07777, &mode) || !read_owners(fields + 3, &uid, &gid)) return ANSWER_ERROR;
  int from = open_below(upper, fields[0], O_RDONLY | O_NONBLOCK);
  if (from < 0 || fstat(from, &status) != 0) return error("the changed file cannot be opened");
  int to = -1;
  if (S_ISREG(status.st_mode)) {
    name_temporary(target);
    to = openat(target->parent, target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  } else errno = EINVAL;
  /* A file that lands is new, whatever time the run gave it: `make` would think that what it made before is up to date. */
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, is_restoring ? status.st_mtim : (struct timespec){.tv_nsec = UTIME_NOW}};
  /* Owner first: a change of owner may clear mode bits. The mode last: with a list it is the most that others may do. Setuid and its kin never land. */
  bool is_written = to >= 0 && copy_content(from, to) && fchown(to, uid, gid) == 0;
  bool has_kept = !is_written || has_own_attributes(target, to);
  bool is_done = is_written && has_kept && fchmod(to, (mode_t)mode & landing_bits) == 0 && futimens(to, times) == 0;
  enum answer answer = is_done ? ANSWER_OK : has_kept ? error("the file cannot be written") : ANSWER_ERROR;
  close(from);
  if (is_done) {
    target->waits = true;
    target->file = to;
    /* That its name goes changes the other names of the file that was there, of which the next record may be one. */
    return target->exists && target->status.st_nlink > 1 ? settle(target, ANSWER_OK) : ANSWER_OK;
  }
  if (to >= 0) close(to);
  if (to >= 0) unlinkat(target->parent, target->temporary, 0);
  return answer;
}

/* fields: PATH EXPECTED TEXT UID GID */
static enum answer put_link(char *const *fields, struct target *target) {
  uid_t uid;
  gid_t gid;
  if (!read_owners(fields + 3, &uid, &gid)) return ANSWER_ERROR;
  name_temporary(target);
  if (symlinkat(fields[2], target->parent, target->temporary) != 0) return error("the link cannot be made");
  bool is_done = fchownat(target->parent, target->temporary, uid, gid, AT_SYMLINK_NOFOLLOW) == 0;
  enum answer answer = is_done ? put_in_place(target) : error("the link cannot be given its owner");
  if (answer != ANSWER_OK) unlinkat(target->parent, target->temporary, 0);
  return answer;
}

/* fields: PATH MODE UID GID */
static enum answer make_directory(char *const *fields, struct target *target) {
  uint64_t mode;
  uid_t uid;
  gid_t gid;
  if (!read_number(fields[1], 8, 07777, &mode) || !read_owners(fields + 2, &uid, &gid)) return ANSWER_ERROR;
  if (target->exists) return S_ISDIR(target->status.st_mode) ? ANSWER_OK : conflict("something else is there");
  name_temporary(target);
  if (mkdirat(target->parent, target->temporary, 0700) != 0) return error("the directory cannot be made");
  int directory = openat(target->parent, target->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool is_done = directory >= 0 && fchown(directory, uid, gid) == 0 && (!is_undoing || take_attributes(fields[0], directory)) && fchmod(directory, (mode_t)mode & landing_bits) == 0;
  enum answer answer = is_done ? put_in_place(target) : error("the directory cannot be given its owner and mode");
  if (directory >= 0) close(directory);
  if (answer != ANSWER_OK) unlinkat(target->parent, target->temporary, AT_REMOVEDIR);
  return answer;
}

/* fields: PATH EXPECTED MODE */
static enum answer change_mode(char *const *fields, struct target *target) {
  uint64_t mode;
  if (!read_number(fields[2], 8, 07777, &mode)) return ANSWER_ERROR;
  if (!target->exists || (!S_ISREG(target->status.st_mode) && !S_ISDIR(target->status.st_mode))) return conflict("no file or directory is there");
  int file = openat(target->parent, target->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  bool is_same = file >= 0 && fstat(file, &status) == 0 && status.st_ino == target->status.st_ino && status.st_dev == target->status.st_dev;
  enum answer answer = !is_same ? conflict("it changed meanwhile") : fchmod(file, (mode_t)mode & landing_bits) == 0 ? ANSWER_OK : error("the mode cannot be changed");
  if (file >= 0) close(file);
  return answer;
}

/* What says in a layer that the lower one's entry of this name is not there. fields: PATH */
static enum answer put_whiteout(struct target *target) {
  if (target->exists) return conflict("something is there");
  return mknodat(target->parent, target->name, S_IFCHR, 0) == 0 ? ANSWER_OK : error("a whiteout cannot be made");
}

static enum answer remove_entry(struct target *target) {
  if (!target->exists) return ANSWER_OK;
  enum answer answer = keep_target(target);
  if (answer != ANSWER_OK) return answer;
  int flags = S_ISDIR(target->status.st_mode) ? AT_REMOVEDIR : 0;
  if (unlinkat(target->parent, target->name, flags) == 0) return ANSWER_OK;
  return errno == ENOTEMPTY || errno == EEXIST ? conflict("the directory has other entries") : error("it cannot be removed");
}

enum answer perform_change(const struct record *record, struct target *target) {
  char *const *fields = record->fields + 1;
  bool is_directory = record_is(record, "mkdir", 4);
  bool is_known = is_directory || record_is(record, "put", 5) || record_is(record, "link", 5) || record_is(record, "chmod", 3) || record_is(record, "remove", 2);
  bool wants_whiteout = is_restoring && record_is(record, "whiteout", 1);
  if (!is_known && !wants_whiteout) {
    wrong("no such record: %s with %zu fields", record->fields[0], record->count - 1);
    return ANSWER_ERROR;
  }
  enum answer answer = open_target(fields[0], is_directory || wants_whiteout ? "any" : fields[1], target);
  if (answer != ANSWER_OK) return answer;
  if (is_directory) return make_directory(fields, target);
  if (wants_whiteout) return put_whiteout(target);
  if (record_is(record, "put", 5)) return put(fields, target);
  if (record_is(record, "link", 5)) return put_link(fields, target);
  if (record_is(record, "chmod", 3)) return change_mode(fields, target);
  return remove_entry(target);
}

int open_roots(enum direction direction, const char *root_path, const char *upper_path, const char *kept_path) {
  is_restoring = direction == DIRECTION_RESTORE;
  is_undoing = direction == DIRECTION_UNDO;
  landing_bits = direction == DIRECTION_LAND ? 0777 : 07777;
  root = open_plain(root_path, O_RDONLY | O_DIRECTORY);
  upper = root < 0 ? -1 : open_plain(upper_path, O_RDONLY | O_DIRECTORY);
  kept = upper < 0 || kept_path == NULL ? -1 : open_plain(kept_path, O_RDONLY | O_DIRECTORY);
  return upper < 0 || (kept < 0 && kept_path != NULL) || fstat(root, &root_status) != 0 ? -1 : root;
}
