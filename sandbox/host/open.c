#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "open.h"

/* openat2 has no wrapper and no header in musl. */
struct open_how {
  uint64_t flags, mode, resolve;
};
#define RESOLVE_NO_XDEV 0x01
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08

static int open2(int directory, const char *path, int flags, uint64_t resolve) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  for (int tries = 0;; tries++) {
    int file = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (file >= 0 || errno != EAGAIN || tries == 10) return file;
  }
}

int open_plain(const char *path, int flags) {
  if (path[0] != '/') {
    errno = EINVAL;
    return -1;
  }
  return open2(AT_FDCWD, path, flags, 0);
}

int open_below(int directory, const char *path, int flags) { return open2(directory, path, flags, RESOLVE_BENEATH); }

int open_parent(int root, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  bool is_name = **name != '\0' && strcmp(*name, ".") != 0 && strcmp(*name, "..") != 0;
  if (!is_name || path[0] == '/' || strlen(path) > 4095) {
    errno = EINVAL;
    return -1;
  }
  /* What is mounted below `root` was not there for whoever made the change. */
  const uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV;
  if (slash == NULL) return open2(root, ".", O_RDONLY | O_DIRECTORY, resolve);
  char parent[4096];
  memcpy(parent, path, (size_t)(slash - path));
  parent[slash - path] = '\0';
  return open2(root, parent, O_RDONLY | O_DIRECTORY, resolve);
}

void allow_many_files(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}
