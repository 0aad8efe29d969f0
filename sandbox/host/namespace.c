/* A user namespace in which a user who is not root may mount. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "namespace.h"
#include "record.h"
#include "verbs.h"

#define OVERLAY_MAGIC 0x794c7630

static bool write_own(const char *file, const char *text) {
  int map = open(file, O_WRONLY | O_CLOEXEC);
  bool is_done = map >= 0 && write(map, text, strlen(text)) == (ssize_t)strlen(text);
  if (!is_done) wrong("%s: %s", file, strerror(errno));
  if (map >= 0) close(map);
  return is_done;
}

/* Only this user and this group exist in it, by their own numbers: what is written there belongs to them. */
bool make_namespace(void) {
  char user[64], group[64];
  snprintf(user, sizeof user, "%u %u 1\n", geteuid(), geteuid());
  snprintf(group, sizeof group, "%u %u 1\n", getegid(), getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return wrong("a user namespace cannot be made: %s", strerror(errno));
  /* What is mounted on the host later was looked through by nobody, and must not come into a root of a sandbox. */
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return wrong("the mounts cannot be made private: %s", strerror(errno));
  /* Without "deny" nobody but root may map a group: whom a group excludes could leave it (user_namespaces(7)). */
  return write_own("/proc/self/setgroups", "deny") && write_own("/proc/self/uid_map", user) && write_own("/proc/self/gid_map", group);
}

static bool join(const char *pid, const char *kind, int type) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/%s", pid, kind);
  int name_space = open(path, O_RDONLY | O_CLOEXEC);
  bool is_done = name_space >= 0 && setns(name_space, type) == 0;
  if (!is_done) wrong("the %s namespace of process %s cannot be entered: %s", kind, pid, strerror(errno));
  if (name_space >= 0) close(name_space);
  return is_done;
}

static int complain(void) {
  fprintf(stderr, "warder-host: %s\n", what_was_wrong());
  return 1;
}

/* A guardian that died takes its mounts along, and its number may be another process's: then there is no overlay. */
static bool is_overlay(const char *view) {
  struct statfs status;
  if (statfs(view, &status) != 0) return wrong("%s: %s", view, strerror(errno));
  return (unsigned long)status.f_type == OVERLAY_MAGIC || wrong("no overlay is mounted on %s", view);
}

static int become(char **command) {
  execvp(command[0], command);
  wrong("%s: %s", command[0], strerror(errno));
  return complain();
}

int verb_apart(char **command) { return make_namespace() ? become(command) : complain(); }

int verb_enter(const char *pid, const char *view, char **command) {
  uint64_t number;
  bool is_inside = read_number(pid, 10, INT32_MAX, &number) && join(pid, "user", CLONE_NEWUSER) && join(pid, "mnt", CLONE_NEWNS) && is_overlay(view);
  return is_inside ? become(command) : complain();
}
