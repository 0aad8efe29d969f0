#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../clock.h"
#include "../wire.h"
#include "content.h"
#include "file-verbs.h"
#include "result.h"
#include "sha256.h"
#include "walk.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

enum expectation { EXPECT_ANY, EXPECT_ABSENT, EXPECT_DIGEST };

struct write {
  struct place place;
  enum expectation expectation;
  struct slice digest, content;
  const char *name; /* the last component */
  char temporary[48];
};

/* The directory that will hold the file, made where it is missing: one name at a time, no link followed. */
static int open_parent(const struct root *root, struct write *write) {
  char *real = write->place.real;
  size_t parent_length = (size_t)(strrchr(real, '/') - real);
  char path[REAL_SIZE];
  memcpy(path, real, parent_length);
  path[parent_length] = '\0';
  write->name = real + parent_length + 1;
  int directory = open_beneath(root, path, O_PATH | O_DIRECTORY);
  if (directory >= 0 || errno != ENOENT) return directory;
  char top[REAL_SIZE];
  memcpy(top, path, root->length);
  top[root->length] = '\0';
  directory = open_beneath(root, top, O_PATH | O_DIRECTORY);
  for (char *rest = path + root->length, *name; directory >= 0 && (name = strtok_r(NULL, "/", &rest)) != NULL;) {
    if (mkdirat(directory, name, 0755) != 0 && errno != EEXIST) {
      close(directory);
      return -1;
    }
    int next = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int code = errno;
    close(directory);
    errno = code;
    directory = next;
  }
  return directory;
}

static enum failure check_expectation(struct write *write) {
  const struct place *place = &write->place;
  if (place->exists && S_ISDIR(place->status.st_mode)) return fail(FAILURE_IS_DIRECTORY, "it is a directory");
  if (place->exists && !S_ISREG(place->status.st_mode)) return fail(FAILURE_NOT_A_FILE, "it is not a regular file");
  if (place->exists && write->expectation == EXPECT_ABSENT) return fail(FAILURE_CONFLICT, "the file exists already");
  if (write->expectation != EXPECT_DIGEST) return FAILURE_NONE;
  if (!place->exists) return fail(FAILURE_CONFLICT, "the file is not there any more");
  enum failure failure;
  int file = open_content(place, &failure);
  if (file < 0) return failure;
  struct content content;
  size_t got;
  bool is_same = read_content(file, 0, NULL, 0, &got, &content) && content.has_digest && memcmp(content.digest, write->digest.data, SHA256_SIZE) == 0;
  close(file);
  return is_same ? FAILURE_NONE : fail(FAILURE_CONFLICT, "the file changed since it was read");
}

static void name_temporary(struct write *write) {
  uint8_t random[8] = {0};
  /* Taken names only cost another try: the file is made with O_EXCL. */
  if (syscall(SYS_getrandom, random, sizeof random, 1u) < 0) put_u64(random, now_ns());
  char *place = write->temporary + sprintf(write->temporary, ".warder-");
  for (size_t i = 0; i < sizeof random; i++) place += sprintf(place, "%02x", random[i]);
  sprintf(place, ".tmp");
}

static bool fill(int file, const struct write *write) {
  const uint8_t *data = write->content.data;
  for (size_t left = write->content.length; left > 0;) {
    ssize_t part = (ssize_t)syscall(SYS_write, file, data, left);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return false;
    data += part;
    left -= (size_t)part;
  }
  mode_t mode = write->place.exists ? write->place.status.st_mode & 0777 : 0644;
  return fchmod(file, mode) == 0;
}

/* Whether what was looked at is still what stands there. Other lanes may write to the same workspace. */
static bool is_unchanged(int directory, const struct write *write) {
  struct stat now;
  const struct stat *then = &write->place.status;
  if (fstatat(directory, write->name, &now, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT && !write->place.exists;
  if (!write->place.exists) return false;
  return now.st_ino == then->st_ino && now.st_dev == then->st_dev && now.st_ctim.tv_sec == then->st_ctim.tv_sec && now.st_ctim.tv_nsec == then->st_ctim.tv_nsec;
}

static enum failure put_in_place(int directory, const struct write *write) {
  if (!is_unchanged(directory, write)) return fail(FAILURE_CONFLICT, "the file changed meanwhile");
  unsigned flags = write->place.exists ? 0 : RENAME_NOREPLACE;
  int result = (int)syscall(SYS_renameat2, directory, write->temporary, directory, write->name, flags);
  if (result != 0 && flags != 0 && errno == EINVAL) {
    /* A file system without NOREPLACE: a hard link never replaces either. */
    result = linkat(directory, write->temporary, directory, write->name, 0);
    if (result == 0) unlinkat(directory, write->temporary, 0);
  }
  return result == 0 ? FAILURE_NONE : fail_errno("the file cannot be put in place");
}

static enum failure replace(int directory, struct write *write) {
  /* Replacing needs only the directory; a file that the user may not write stays as it is all the same. */
  if (write->place.exists && faccessat(directory, write->name, W_OK, 0) != 0) return fail_errno("the file cannot be written");
  int file = -1;
  for (int tries = 0; file < 0 && tries < 10; tries++) {
    name_temporary(write);
    file = openat(directory, write->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) return fail_errno("no file can be made in its directory");
  }
  if (file < 0) return fail_errno("no file can be made in its directory");
  bool is_full = fill(file, write);
  if (close(file) != 0) is_full = false;
  enum failure failure = is_full ? put_in_place(directory, write) : fail_errno("the content cannot be written");
  if (failure != FAILURE_NONE) unlinkat(directory, write->temporary, 0);
  return failure;
}

enum failure verb_write(struct reader *reader) {
  static struct write write;
  write.expectation = (enum expectation)read_u8(reader);
  write.digest = read_raw(reader, SHA256_SIZE);
  enum failure failure = walk(read_bytes(reader), &write.place);
  write.content = read_bytes(reader);
  const struct root *root = root_of(write.place.real);
  if (failure != FAILURE_NONE) return fail(failure, "the path cannot be followed to its end");
  if (root == NULL) return fail(FAILURE_OUTSIDE_ROOTS, "the path leads out of every root");
  if (!root->is_writable) return fail(FAILURE_PERMISSION, "the root can only be read");
  if (strlen(write.place.real) <= root->length + 1) return fail(FAILURE_IS_DIRECTORY, "it is a root");
  if ((failure = check_expectation(&write)) != FAILURE_NONE) return failure;
  int directory = open_parent(root, &write);
  if (directory < 0) return fail_errno("its directory cannot be opened");
  if ((failure = replace(directory, &write)) != FAILURE_NONE) return failure;
  struct sha256 hash;
  uint8_t digest[SHA256_SIZE];
  sha256_start(&hash);
  sha256_add(&hash, write.content.data, write.content.length);
  sha256_end(&hash, digest);
  emit(digest, sizeof digest);
  emit_u8(!write.place.exists);
  emit_bytes(write.place.real, strlen(write.place.real));
  return FAILURE_NONE;
}
