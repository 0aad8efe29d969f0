/* The guardian of a plan's mounts: makes them, and unmounts them when its owner ends. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "mounts.h"
#include "record.h"
#include "verbs.h"

static volatile sig_atomic_t is_asked_to_end;

static void end(int number) {
  (void)number;
  is_asked_to_end = 1;
}

/* SIGTERM is let through only while waiting, so that none is missed and no mount is interrupted. */
static void watch_signals(sigset_t *waiting) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  sigemptyset(waiting);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
}

static bool perform_plan(void) {
  struct record record;
  for (int number = 1;; number++) {
    enum record_state state = read_record(&record);
    bool is_end = state == RECORD_READ && record_is(&record, "go", 0);
    if (state != RECORD_READ) wrong(state == RECORD_END ? "the plan ended without go" : "the record is malformed");
    bool is_done = state == RECORD_READ && (is_end || perform(&record));
    free_record(&record);
    if (is_end) return true;
    if (is_done) continue;
    undo_all();
    printf("error %d %s\n", number, what_was_wrong());
    return false;
  }
}

int verb_hold(void) {
  sigset_t waiting;
  setsid();
  watch_signals(&waiting);
  if (!perform_plan()) return 1;
  puts("ok");
  fflush(stdout);
  while (!is_asked_to_end) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char ignored[512];
    if (ppoll(&input, 1, NULL, &waiting) < 0) continue;
    ssize_t length = read(STDIN_FILENO, ignored, sizeof ignored);
    if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) break;
  }
  undo_all();
  return 0;
}

int verb_unmount(int count, char **paths) {
  int status = 0;
  for (int i = 0; i < count; i++)
    if (paths[i][0] != '/' || !unmount(paths[i])) {
      fprintf(stderr, "warder-host: %s\n", paths[i][0] == '/' ? what_was_wrong() : "not an absolute path");
      status = 1;
    }
  return status;
}
