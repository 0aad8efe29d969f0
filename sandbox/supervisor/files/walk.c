#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../settings.h"
#include "result.h"
#include "walk.h"

#define MAX_LINKS 40 /* as the kernel */
#define PROC_MAGIC 0x9fa0

/* openat2 has no wrapper and no header in musl. */
struct open_how {
  uint64_t flags, mode, resolve;
};
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08

struct walk {
  struct place *place;
  size_t real_length;
  int directory; /* the directory that `real` names, while it exists */
  char rest[REAL_SIZE];
  unsigned links;
  bool is_lexical; /* nothing more can be looked up */
};

enum node_type node_type(mode_t mode) {
  if (S_ISREG(mode)) return NODE_FILE;
  if (S_ISDIR(mode)) return NODE_DIRECTORY;
  return S_ISLNK(mode) ? NODE_LINK : NODE_OTHER;
}

static bool append(struct walk *walk, const char *name) {
  size_t length = strlen(name);
  if (walk->real_length + length + 2 > REAL_SIZE) return false;
  walk->place->real[walk->real_length] = '/';
  memcpy(walk->place->real + walk->real_length + 1, name, length + 1);
  walk->real_length += length + 1;
  return true;
}

static void remove_last(struct walk *walk) {
  while (walk->real_length > 0 && walk->place->real[--walk->real_length] != '/') continue;
  walk->place->real[walk->real_length] = '\0';
}

static enum failure enter(struct walk *walk, const char *name, bool follows) {
  int next = openat(walk->directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW));
  if (next < 0) return errno == ENOTDIR || errno == ELOOP || errno == ENOENT ? FAILURE_CONFLICT : failure_of_errno(errno);
  close(walk->directory);
  walk->directory = next;
  return FAILURE_NONE;
}

/* Puts a link's text before what is left of the path. */
static enum failure follow(struct walk *walk, const char *name) {
  char text[REAL_SIZE];
  ssize_t length = readlinkat(walk->directory, name, text, sizeof text);
  if (length < 0) return failure_of_errno(errno);
  size_t rest = strlen(walk->rest);
  if (++walk->links > MAX_LINKS || length == 0 || (size_t)length + rest + 2 > REAL_SIZE) return FAILURE_UNRESOLVABLE;
  memmove(walk->rest + length + 1, walk->rest, rest + 1);
  memcpy(walk->rest, text, (size_t)length);
  walk->rest[length] = '/';
  enum failure failure = FAILURE_NONE;
  if (text[0] == '/') {
    walk->real_length = 0;
    walk->place->real[0] = '\0';
    failure = enter(walk, "/", false);
  }
  /* A link to "." or "/" has no further name that would be looked at. */
  walk->place->exists = fstat(walk->directory, &walk->place->status) == 0;
  return failure;
}

/*
 * Links of /proc are not text: what stands behind them depends on who asks. `self` is kept as it is, two are plain text, the others
 * (fd, exe, cwd, root…) cannot be measured for a process that does not exist yet.
 */
static enum failure meet_link(struct walk *walk, const char *name, bool *is_kept) {
  struct statfs system;
  if (fstatfs(walk->directory, &system) != 0) return failure_of_errno(errno);
  *is_kept = false;
  if (system.f_type != PROC_MAGIC) return follow(walk, name);
  *is_kept = strcmp(name, "self") == 0 || strcmp(name, "thread-self") == 0;
  if (*is_kept) return FAILURE_NONE;
  bool is_text = strcmp(walk->place->real, "/proc") == 0 && (strcmp(name, "mounts") == 0 || strcmp(name, "net") == 0);
  return is_text ? follow(walk, name) : FAILURE_UNRESOLVABLE;
}

static enum failure step(struct walk *walk, const char *name) {
  struct place *place = walk->place;
  if (strcmp(name, "..") == 0) {
    remove_last(walk);
    if (walk->is_lexical) return FAILURE_NONE;
    place->exists = fstatat(walk->directory, "..", &place->status, 0) == 0;
    return enter(walk, "..", false);
  }
  if (walk->is_lexical) return append(walk, name) ? FAILURE_NONE : FAILURE_UNRESOLVABLE;
  if (fstatat(walk->directory, name, &place->status, AT_SYMLINK_NOFOLLOW) != 0) {
    place->exists = false;
    walk->is_lexical = true;
    enum failure failure = errno == ENOENT ? FAILURE_NONE : failure_of_errno(errno);
    return append(walk, name) ? failure : FAILURE_UNRESOLVABLE;
  }
  place->exists = true;
  bool is_kept = false;
  if (S_ISLNK(place->status.st_mode)) {
    enum failure failure = meet_link(walk, name, &is_kept);
    if (!is_kept && failure == FAILURE_NONE) return FAILURE_NONE;
    if (failure != FAILURE_NONE) return append(walk, name) ? failure : FAILURE_UNRESOLVABLE;
    if (fstatat(walk->directory, name, &place->status, 0) != 0) return failure_of_errno(errno);
  }
  if (!append(walk, name)) return FAILURE_UNRESOLVABLE;
  if (S_ISDIR(place->status.st_mode)) return enter(walk, name, is_kept);
  /* A file with something after it: as missing as a name that is not there. */
  if (walk->rest[strspn(walk->rest, "/")] != '\0') {
    place->exists = false;
    walk->is_lexical = true;
  }
  return FAILURE_NONE;
}

/* Takes the next name off the rest; false at its end. */
static bool next_name(struct walk *walk, char name[REAL_SIZE]) {
  size_t skipped = strspn(walk->rest, "/"), length = strcspn(walk->rest + skipped, "/");
  memcpy(name, walk->rest + skipped, length);
  name[length] = '\0';
  memmove(walk->rest, walk->rest + skipped + length, strlen(walk->rest + skipped + length) + 1);
  return length > 0;
}

enum failure walk(struct slice path, struct place *place) {
  static struct walk state;
  char name[REAL_SIZE];
  state = (struct walk){.place = place, .directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  place->real[0] = '\0';
  place->failure = FAILURE_NONE;
  place->exists = state.directory >= 0 && fstat(state.directory, &place->status) == 0;
  memcpy(state.rest, path.data, path.length);
  state.rest[path.length] = '\0';
  while (next_name(&state, name)) {
    if (strcmp(name, ".") == 0) continue;
    enum failure failure = step(&state, name);
    if (failure == FAILURE_NONE) continue;
    /* The first failure stands; the rest is appended so that the path says what was asked for. */
    if (place->failure == FAILURE_NONE) place->failure = failure;
    place->exists = false;
    state.is_lexical = true;
    if (failure == FAILURE_UNRESOLVABLE && state.real_length + strlen(state.rest) + 2 > REAL_SIZE) break;
  }
  if (state.real_length == 0) memcpy(place->real, "/", 2);
  close(state.directory);
  return place->failure;
}

const struct root *root_of(const char *real) {
  const struct root *best = NULL;
  for (size_t i = 0; i < settings.root_count; i++) {
    const struct root *root = &settings.roots[i];
    if (strncmp(real, root->path, root->length) != 0) continue;
    if (real[root->length] != '/' && real[root->length] != '\0') continue;
    if (best == NULL || root->length > best->length) best = root;
  }
  return best;
}

static int open2(int directory, const char *path, int flags, uint64_t resolve) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  for (int tries = 0;; tries++) {
    int file = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    /* EAGAIN: something was renamed while the kernel looked. */
    if (file >= 0 || errno != EAGAIN || tries == 10) return file;
  }
}

/*
 * The same name by name, where the kernel has no openat2 (before Linux 5.6, and gVisor of 2022): a path without "." and ".." leads out of its
 * root by a link alone, and no name of it may be one.
 */
static int open_each(int directory, const char *path, int flags) {
  int at = fcntl(directory, F_DUPFD_CLOEXEC, 0);
  for (;;) {
    path += strspn(path, "/");
    size_t length = strcspn(path, "/");
    bool is_last = path[length + strspn(path + length, "/")] == '\0';
    char name[REAL_SIZE]; /* as long as a real path may be */
    if (at < 0) return -1;
    memcpy(name, path, length);
    name[length] = '\0';
    int next = openat(at, length == 0 ? "." : name, (is_last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
    int code = errno;
    struct stat status;
    /* With O_PATH a link is opened itself. */
    bool is_link = next < 0 ? code == ELOOP || (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
                            : fstat(next, &status) != 0 || S_ISLNK(status.st_mode);
    close(at);
    if (is_link && next >= 0) close(next);
    errno = is_link ? ELOOP : code;
    if (is_link || next < 0 || is_last) return is_link ? -1 : next;
    at = next;
    path += length;
  }
}

int open_beneath(const struct root *root, const char *real, int flags) {
  const char *start = root->length == 0 ? "/" : root->path;
  const char *relative = real + root->length;
  relative += strspn(relative, "/");
  if (!(flags & O_PATH)) flags |= O_NONBLOCK | O_NOCTTY;
  int directory = open2(AT_FDCWD, start, O_PATH | O_DIRECTORY, 0);
  bool is_old = directory < 0 && errno == ENOSYS;
  if (is_old) {
    int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    directory = open_each(top, start, O_PATH | O_DIRECTORY);
    int code = errno;
    if (top >= 0) close(top);
    errno = code;
  }
  if (directory < 0) return -1;
  int file = is_old ? open_each(directory, relative, flags) : open2(directory, *relative ? relative : ".", flags, RESOLVE_BENEATH);
  int code = errno;
  close(directory);
  errno = code;
  return file;
}
