#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "supervisor.h"

#define PATIENCE_NS 10000000000ull

void reap(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) call_process_ended(pid, status);
}

/*
 * Only PID 1 may do this: elsewhere kill(-1) would end every process of the machine. main() refuses to run
 * otherwise. It needs no fork, so a full pid limit does not stop it, and one pass cannot be outrun: the kernel
 * refuses a fork while a fatal signal is pending. Processes that were put into this namespace from outside
 * (an engine's exec) are killed as well; they are reaped by their own parents.
 */
bool sweep(void) {
  uint64_t until = now_ns() + PATIENCE_NS;
  for (;;) {
    bool nobody_left = kill(-1, SIGKILL) < 0 && errno == ESRCH;
    reap();
    if (nobody_left) return true;
    if (now_ns() > until) return false;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    struct timespec pause = {0, 2000000};
    sigtimedwait(&ended, NULL, &pause);
  }
}
