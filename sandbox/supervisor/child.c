#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "settings.h"
#include "wire.h"

/* A full pid limit or short memory passes: everything else in here is dead, so it is given a second. */
pid_t patient_fork(void) {
  for (int tries = 0;; tries++) {
    pid_t pid = fork();
    if (pid >= 0 || (errno != EAGAIN && errno != ENOMEM) || tries == 100) return pid;
    poll(NULL, 0, 10);
  }
}

static bool limit(int resource, uint64_t value) {
  struct rlimit both = {value, value};
  return setrlimit(resource, &both) == 0;
}

static bool take_limits(void) {
  if (!limit(RLIMIT_CORE, 0)) return false;
  if (settings.nofile && !limit(RLIMIT_NOFILE, settings.nofile)) return false;
  if (settings.fsize && !limit(RLIMIT_FSIZE, settings.fsize)) return false;
  if (settings.nproc && !limit(RLIMIT_NPROC, settings.nproc)) return false;
  return !settings.data || limit(RLIMIT_DATA, settings.data);
}

/* Version 3 of the kernel's capability sets, two words each; musl has no header for it. */
struct capability_header {
  uint32_t version;
  int pid;
};
struct capability_sets {
  uint32_t effective, permitted, inheritable;
};

static bool drop_identity(void) {
  if (geteuid() == 0) {
    if (setgroups(0, NULL) != 0) return false;
    if (setresgid(settings.gid, settings.gid, settings.gid) != 0) return false;
    if (setresuid(settings.uid, settings.uid, settings.uid) != 0) return false;
  }
  struct capability_header header = {0x20080522, 0};
  struct capability_sets none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capset, &header, none) != 0) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  /* Believe what the kernel says, not what the calls returned. */
  uid_t real, effective, saved;
  if (getresuid(&real, &effective, &saved) != 0) return false;
  return real == settings.uid && effective == settings.uid && saved == settings.uid && getgid() == settings.gid && getegid() == settings.gid;
}

/* When memory runs out, the kernel should choose a command and not the supervisor. Where /proc does not allow it, nothing is lost. */
static void be_first_to_go(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t written = write(file, "500", 3);
  (void)written;
  close(file);
}

static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

int child_become(const int pipes[3]) {
  errno = 0;
  setsid();
  be_first_to_go();
  for (int i = 0; i < 3; i++)
    if (dup2(pipes[i], i) < 0) return errno;
  umask(022);
  errno = 0;
  if (!take_limits() || !drop_identity()) return errno ? errno : EPERM;
  reset_signals();
  return 0;
}

static _Noreturn void report_failure(int report, enum stage stage, int code) {
  uint8_t record[5];
  put_u32(put_u8(record, (uint8_t)stage), (uint32_t)code);
  ssize_t written = write(report, record, sizeof record);
  (void)written;
  _exit(127);
}

/* All descriptors above 2 are close-on-exec, `report` too: the program has its three and nothing else. */
_Noreturn void child_execute(const struct command *command, int report) {
  extern char **environ;
  if (chdir(command->cwd) != 0) report_failure(report, STAGE_CWD, errno);
  environ = command->env;
  execvp(command->argv[0], command->argv);
  report_failure(report, STAGE_PROGRAM, errno);
}
