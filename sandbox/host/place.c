#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clone.h"
#include "mounts.h"
#include "open.h"
#include "record.h"
#include "verbs.h"

/* What Warder plans for one root, and more roots than it allows. */
#define MAX_PLACED 20000

struct placed {
  int tree;
  char *target;
};

static struct placed *plan;
static size_t planned;

static bool add(char *const *fields) {
  if (planned == MAX_PLACED) return wrong("more than %d mounts", MAX_PLACED);
  if (!is_access(fields[2])) return false;
  int source = open_plain(fields[0], O_PATH);
  if (source < 0) return wrong("%s: %s", fields[0], strerror(errno));
  int tree = clone_tree(source, fields[2][1] == 'o', -1);
  close(source);
  char *target = tree < 0 ? NULL : strdup(fields[1]);
  if (target == NULL) return false;
  plan[planned++] = (struct placed){tree, target};
  return true;
}

static bool read_plan(int *number) {
  struct record record;
  for (*number = 1;; ++*number) {
    enum record_state state = read_record(&record);
    if (state != RECORD_READ) return wrong(state == RECORD_END ? "the plan ended without go" : "the record is malformed");
    bool is_end = record_is(&record, "go", 0);
    bool is_done = is_end || (record_is(&record, "bind", 3) ? add(record.fields + 1) : wrong("no such record: %s", record.fields[0]));
    free_record(&record);
    if (is_end || !is_done) return is_done;
  }
}

/*
 * The engine says which process it started, and a process id of another machine, of another pid namespace or of yesterday means some
 * other process here. So it is believed only when the placeholder, a directory that was made for this one container, stands where it
 * was put; and that is looked at inside, when nothing can change whose inside it is.
 */
static bool enter(const char *pid, const char *placeholder, const char *shown) {
  uint64_t number;
  char path[64];
  struct stat own, found;
  if (!read_number(pid, 10, INT32_MAX, &number) || number < 2) return wrong("no process: %s", pid);
  int expected = open_plain(placeholder, O_PATH | O_DIRECTORY);
  if (expected < 0 || fstat(expected, &own) != 0) return wrong("%s: %s", placeholder, strerror(errno));
  snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)number);
  int name_space = open(path, O_RDONLY | O_CLOEXEC);
  if (name_space < 0) return wrong("%s: %s", path, strerror(errno));
  if (setns(name_space, CLONE_NEWNS) != 0) return wrong("the mounts of process %s cannot be entered: %s", pid, strerror(errno));
  close(name_space);
  int inside = open_plain(shown, O_PATH | O_DIRECTORY);
  if (inside < 0 || fstat(inside, &found) != 0) return wrong("process %s is not in the sandbox: %s is not there", pid, shown);
  bool is_same = own.st_dev == found.st_dev && own.st_ino == found.st_ino;
  close(inside);
  close(expected);
  return is_same || wrong("process %s is not in the sandbox: another directory is %s there", pid, shown);
}

static bool place_all(int *number) {
  for (size_t i = 0; i < planned; i++) {
    *number = (int)i + 1;
    int target = open_plain(plan[i].target, O_PATH);
    if (target < 0) return wrong("%s: %s", plan[i].target, strerror(errno));
    bool is_done = place_tree(plan[i].tree, target);
    close(target);
    if (!is_done) return false;
  }
  return true;
}

int verb_place(const char *pid, const char *placeholder, const char *shown) {
  /* One descriptor for each mount, from the host's view to the sandbox's. */
  allow_many_files();
  plan = calloc(MAX_PLACED, sizeof *plan);
  int number = 0;
  if (plan != NULL && read_plan(&number) && enter(pid, placeholder, shown) && place_all(&number)) {
    puts("ok");
    return 0;
  }
  printf("error %d %s\n", number, plan == NULL ? "no memory" : what_was_wrong());
  return 1;
}
