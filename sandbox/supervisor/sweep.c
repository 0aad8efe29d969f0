#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "sweep.h"
#include "wire.h"

#define PATIENCE_NS 10000000000ull

void reap(process_ended *tell) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) tell(pid, status);
}

/*
 * Elsewhere than in PID 1 of a namespace of its own this would end every process of the machine. main() refuses to
 * run there, and this looks again, whoever changes main().
 */
bool kill_others(void) {
  if (getpid() != 1) _exit(EXIT_ARGUMENTS);
  return kill(-1, SIGKILL) < 0 && errno == ESRCH;
}

/*
 * It needs no fork, so a full pid limit does not stop it, and one pass cannot be outrun: the kernel
 * refuses a fork while a fatal signal is pending. Processes that were put into this namespace from outside
 * (an engine's exec) are killed as well; they are reaped by their own parents.
 */
bool sweep(process_ended *tell) {
  uint64_t until = now_ns() + PATIENCE_NS;
  for (;;) {
    bool nobody_left = kill_others();
    reap(tell);
    if (nobody_left) return true;
    if (now_ns() > until) return false;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    struct timespec pause = {0, 2000000};
    sigtimedwait(&ended, NULL, &pause);
  }
}
