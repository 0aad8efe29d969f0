#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clone.h"
#include "image.h"
#include "mounts.h"
#include "namespace.h"
#include "open.h"
#include "record.h"

#define LOCK_PAUSE_MS 20

#define MAX_MOUNTS 256

static char *mounted[MAX_MOUNTS];
static size_t mounted_count;
static bool is_in_namespace;

static int open_directory(const char *path) {
  int directory = open_plain(path, O_PATH | O_DIRECTORY);
  if (directory < 0) wrong("%s: %s", path, errno == ENOSYS ? "openat2 is not available: it needs Linux 5.6" : strerror(errno));
  return directory;
}

static bool remember(const char *path, bool is_mounted) {
  if (!is_mounted) return false;
  mounted[mounted_count] = strdup(path);
  return mounted[mounted_count++] != NULL;
}

bool unmount(const char *path) {
  /* EINVAL: no mount point (any more). Mounts can be stacked; a hundred are more than anyone makes. */
  for (int i = 0; i < 100; i++) {
    if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0) continue;
    if (errno == EINVAL || errno == ENOENT) return true;
    return wrong("%s: %s", path, strerror(errno));
  }
  return wrong("%s: too many mounts on it", path);
}

void undo_all(void) {
  while (mounted_count > 0) umount2(mounted[--mounted_count], MNT_DETACH | UMOUNT_NOFOLLOW);
}

static bool make_directory(char *const *fields) {
  uint64_t mode;
  uint32_t uid, gid;
  if (!read_number(fields[1], 8, 0777, &mode) || !read_owner(fields[2], &uid) || !read_owner(fields[3], &gid)) return false;
  char parent_path[PATH_MAX];
  const char *slash = strrchr(fields[0], '/');
  if (fields[0][0] != '/' || slash[1] == '\0' || strlen(fields[0]) >= PATH_MAX) return wrong("not the path of a directory: %s", fields[0]);
  snprintf(parent_path, sizeof parent_path, "%.*s", (int)(slash - fields[0]) + (slash == fields[0]), fields[0]);
  int parent = open_directory(parent_path);
  if (parent < 0) return false;
  int directory = -1;
  if (mkdirat(parent, slash + 1, 0700) == 0 || errno == EEXIST) directory = openat(parent, slash + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool is_done = directory >= 0 && fchown(directory, uid, gid) == 0 && fchmod(directory, (mode_t)mode) == 0;
  if (!is_done) wrong("%s: %s", fields[0], strerror(errno));
  if (directory >= 0) close(directory);
  close(parent);
  return is_done;
}

/* The marks of an overlay lie where who mounted it may write them: see docs/decisions/0020. */
static const char *overlay_settings(void) { return is_in_namespace ? "userxattr,metacopy=off,index=off,xino=off" : "redirect_dir=off,metacopy=off,index=off,xino=off"; }

/*
 * `fields`: TARGET LOWER UPPER WORK, and MASK where `count` is 5. The layers are named by descriptor: no character of a path can be taken
 * for an option, and nothing can be swapped in between.
 */
static bool mount_overlay(char *const *fields, int count, const char *name) {
  int layers[5];
  bool is_open = true;
  for (int i = 0; i < count; i++)
    if ((layers[i] = open_directory(fields[i < 4 ? i : 5])) < 0) is_open = false;
  bool is_done = false;
  if (is_open) {
    char target[64], lower[64], options[256];
    snprintf(target, sizeof target, "/proc/self/fd/%d", layers[0]);
    if (count == 5) snprintf(lower, sizeof lower, "/proc/self/fd/%d:/proc/self/fd/%d", layers[4], layers[1]);
    else snprintf(lower, sizeof lower, "/proc/self/fd/%d", layers[1]);
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,%s", lower, layers[2], layers[3], overlay_settings());
    is_done = mount(name, target, "overlay", MS_NOSUID | MS_NODEV, options) == 0;
    if (!is_done) wrong("the overlay on %s cannot be mounted: %s", fields[0], strerror(errno));
  }
  for (int i = 0; i < count; i++)
    if (layers[i] >= 0) close(layers[i]);
  return remember(fields[0], is_done);
}

static bool enter_namespace(void) {
  if (mounted_count > 0 || is_in_namespace) return wrong("a namespace comes before every mount, and once");
  return is_in_namespace = make_namespace();
}

bool is_access(const char *text) { return strcmp(text, "ro") == 0 || strcmp(text, "rw") == 0 || wrong("neither ro nor rw: %s", text); }

static bool mount_clone(char *const *fields, int user_namespace) {
  if (!is_access(fields[2])) return false;
  int source = open_directory(fields[0]);
  int target = source < 0 ? -1 : open_directory(fields[1]);
  bool is_done = target >= 0 && clone_mount(source, target, fields[2][1] == 'o', user_namespace);
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  return remember(fields[1], is_done);
}

static bool mount_mapped(char *const *fields) {
  uint32_t ids[4];
  for (int i = 0; i < 4; i++) {
    uint64_t value;
    if (!read_number(fields[3 + i], 10, UINT32_MAX - 1, &value)) return false;
    ids[i] = (uint32_t)value;
  }
  int user_namespace = map_owners(ids, ids + 2);
  if (user_namespace < 0) return false;
  bool is_done = mount_clone(fields, user_namespace);
  close(user_namespace);
  return is_done;
}

static bool mount_file(char *const *fields) {
  int file = open_plain(fields[0], O_RDWR);
  if (file < 0) return wrong("%s: %s", fields[0], strerror(errno));
  struct stat status;
  int target = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? open_directory(fields[1]) : -1;
  if (target < 0 && !S_ISREG(status.st_mode)) wrong("%s: not a regular file", fields[0]);
  bool is_done = target >= 0 && mount_image(file, target);
  if (target >= 0) close(target);
  close(file);
  return remember(fields[1], is_done);
}

static bool mount_memory(char *const *fields) {
  uint64_t size;
  uint32_t uid, gid;
  if (!read_number(fields[1], 10, INT64_MAX, &size) || !read_owner(fields[2], &uid) || !read_owner(fields[3], &gid)) return false;
  int target = open_directory(fields[0]);
  if (target < 0) return false;
  char path[64], options[128];
  snprintf(path, sizeof path, "/proc/self/fd/%d", target);
  snprintf(options, sizeof options, "mode=0700,size=%llu,uid=%u,gid=%u", (unsigned long long)size, uid, gid);
  bool is_done = mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
  if (!is_done) wrong("a tmpfs on %s cannot be mounted: %s", fields[0], strerror(errno));
  close(target);
  return remember(fields[0], is_done);
}

/* Held until this process ends, after everything was undone: two never mount at one place, also when the owner of one was killed. */
static bool take_lock(char *const *fields) {
  uint64_t seconds;
  if (!read_number(fields[1], 10, 600, &seconds)) return false;
  int file = open_plain(fields[0], O_RDWR);
  if (file < 0) return wrong("%s: %s", fields[0], strerror(errno));
  /* By the clock: on a busy machine a pause is longer than it was asked to be, and who waits for the answer counts time. */
  const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000L};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (time_t until = now.tv_sec + (time_t)seconds;; clock_gettime(CLOCK_MONOTONIC, &now)) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (now.tv_sec >= until) {
      errno = EWOULDBLOCK;
      break;
    }
    nanosleep(&pause, NULL);
  }
  wrong("%s", errno == EWOULDBLOCK ? "locked" : strerror(errno));
  close(file);
  return false;
}

bool perform(const struct record *record) {
  char *const *fields = record->fields + 1;
  if (mounted_count == MAX_MOUNTS) return wrong("more than %d mounts", MAX_MOUNTS);
  if (record_is(record, "lock", 2)) return take_lock(fields);
  if (record_is(record, "dir", 4)) return make_directory(fields);
  if (record_is(record, "namespace", 0)) return enter_namespace();
  if (record_is(record, "overlay", 4)) return mount_overlay(fields, 4, "overlay");
  if (record_is(record, "overlay", 5)) return mount_overlay(fields, 4, fields[4]);
  if (record_is(record, "overlay", 6)) return mount_overlay(fields, 5, fields[4]);
  if (record_is(record, "bind", 3)) return mount_clone(fields, -1);
  if (record_is(record, "idmap", 7)) return mount_mapped(fields);
  if (record_is(record, "image", 2)) return mount_file(fields);
  if (record_is(record, "tmpfs", 4)) return mount_memory(fields);
  return wrong("no such record: %s with %zu fields", record->fields[0], record->count - 1);
}
