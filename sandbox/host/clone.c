#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clone.h"
#include "record.h"

/* The newer mount calls have no wrappers and no header in musl. */
#define EMPTY_PATH 0x1000
#define TREE_CLONE 1
#define TREE_CLOEXEC O_CLOEXEC
#define ATTR_RDONLY 0x00000001u
#define ATTR_NOSUID 0x00000002u
#define ATTR_NODEV 0x00000004u
#define ATTR_IDMAP 0x00100000u
#define FROM_EMPTY_PATH 0x04u
#define TO_EMPTY_PATH 0x40u

struct mount_attributes {
  uint64_t set, clear, propagation, user_namespace;
};

static bool failed(const char *what, const char *since) {
  if (errno == ENOSYS) return wrong("%s is not available: it needs Linux %s", what, since);
  return wrong("%s: %s", what, strerror(errno));
}

int clone_tree(int source, bool is_read_only, int user_namespace) {
  int tree = (int)syscall(SYS_open_tree, source, "", EMPTY_PATH | TREE_CLONE | TREE_CLOEXEC);
  if (tree < 0) {
    failed("open_tree", "5.2");
    return -1;
  }
  struct mount_attributes attributes = {.set = ATTR_NOSUID | ATTR_NODEV, .propagation = MS_PRIVATE};
  if (is_read_only) attributes.set |= ATTR_RDONLY;
  if (user_namespace >= 0) {
    attributes.set |= ATTR_IDMAP;
    attributes.user_namespace = (uint64_t)user_namespace;
  }
  if (syscall(SYS_mount_setattr, tree, "", EMPTY_PATH, &attributes, sizeof attributes) == 0) return tree;
  if (errno == EINVAL && user_namespace >= 0) wrong("this file system cannot be mounted with mapped owners");
  else failed("mount_setattr", "5.12");
  close(tree);
  return -1;
}

bool place_tree(int tree, int target) {
  return syscall(SYS_move_mount, tree, "", target, "", FROM_EMPTY_PATH | TO_EMPTY_PATH) == 0 || failed("move_mount", "5.2");
}

bool clone_mount(int source, int target, bool is_read_only, int user_namespace) {
  int tree = clone_tree(source, is_read_only, user_namespace);
  bool is_done = tree >= 0 && place_tree(tree, target);
  if (tree >= 0) close(tree);
  return is_done;
}

/* A and B change places, everyone else stays: what comes out of the mapping can go back through it. */
static bool write_map(pid_t pid, const char *file, const uint32_t pair[2]) {
  char path[64], text[256];
  uint32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
  size_t length = 0;
  const uint32_t rows[5][3] = {{0, 0, low}, {low, high, 1}, {low + 1, low + 1, high > low ? high - low - 1 : 0}, {high, low, high > low}, {high + 1, high + 1, UINT32_MAX - high - 1}};
  for (size_t i = 0; i < 5; i++)
    if (rows[i][2] > 0) length += (size_t)snprintf(text + length, sizeof text - length, "%u %u %u\n", rows[i][0], rows[i][1], rows[i][2]);
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  int map = open(path, O_WRONLY | O_CLOEXEC);
  if (map < 0) return wrong("%s: %s", path, strerror(errno));
  bool is_done = write(map, text, length) == (ssize_t)length;
  if (!is_done) wrong("%s: %s", path, strerror(errno));
  close(map);
  return is_done;
}

static int name_space_of(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) wrong("%s: %s", path, strerror(errno));
  return file;
}

/* A descriptor of a user namespace with that mapping; nobody lives in it, the kernel only reads its map. -1: told. */
int map_owners(const uint32_t uids[2], const uint32_t gids[2]) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) {
    wrong("pipe: %s", strerror(errno));
    return -1;
  }
  pid_t pid = fork();
  if (pid == 0) {
    uint8_t code = unshare(CLONE_NEWUSER) == 0 ? 0 : (uint8_t)errno;
    if (write(ready[1], &code, 1) == 1) pause();
    _exit(0);
  }
  close(ready[1]);
  uint8_t code = 0;
  int name_space = -1;
  if (pid < 0 || read(ready[0], &code, 1) != 1) wrong("no process for the mapping: %s", strerror(errno));
  else if (code != 0) wrong("a user namespace cannot be made: %s", strerror(code));
  else if (write_map(pid, "uid_map", uids) && write_map(pid, "gid_map", gids)) name_space = name_space_of(pid);
  close(ready[0]);
  if (pid > 0) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  return name_space;
}
