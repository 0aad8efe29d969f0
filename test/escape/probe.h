/* What every attack in C is compiled with. Its functions become subcommands of one static program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>

static const struct { int code; const char *name; } ERRORS[] = {
  {EPERM, "EPERM"}, {EACCES, "EACCES"}, {ENOSYS, "ENOSYS"}, {EROFS, "EROFS"}, {ENOENT, "ENOENT"}, {EINVAL, "EINVAL"}, {EFAULT, "EFAULT"},
  {EBUSY, "EBUSY"}, {ELOOP, "ELOOP"}, {ENXIO, "ENXIO"}, {EAFNOSUPPORT, "EAFNOSUPPORT"}, {EPROTONOSUPPORT, "EPROTONOSUPPORT"}, {EMFILE, "EMFILE"},
  {EFBIG, "EFBIG"}, {ENOMEM, "ENOMEM"}, {EAGAIN, "EAGAIN"}, {ECONNREFUSED, "ECONNREFUSED"}, {ENETUNREACH, "ENETUNREACH"}, {ENODEV, "ENODEV"},
  {ENOTTY, "ENOTTY"}, {EXDEV, "EXDEV"}, {EBADF, "EBADF"}, {ESRCH, "ESRCH"}, {EOPNOTSUPP, "EOPNOTSUPP"}, {E2BIG, "E2BIG"}, {ENOSPC, "ENOSPC"},
  {EDQUOT, "EDQUOT"}, {ECHILD, "ECHILD"}, {ENOTDIR, "ENOTDIR"}, {EISDIR, "EISDIR"}, {EIO, "EIO"}, {ETXTBSY, "ETXTBSY"}, {EADDRNOTAVAIL, "EADDRNOTAVAIL"},
};

static const char *error_name(int code) {
  static char number[32];
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
    if (ERRORS[i].code == code) return ERRORS[i].name;
  snprintf(number, sizeof number, "errno %d", code);
  return number;
}

static void held(const char *what, const char *why) { printf("HELD %s: %s\n", what, why); fflush(stdout); }
static void escaped(const char *what, const char *why) { printf("ESCAPED %s: %s\n", what, why); fflush(stdout); }

/* A call must fail with one of `answers` (names with blanks between). Another error has reached code that it must not reach. */
static void must_fail(const char *what, long result, const char *answers) {
  int code = errno;
  char name[40], list[200], value[40];
  snprintf(name, sizeof name, " %s ", error_name(code));
  snprintf(list, sizeof list, " %s ", answers);
  snprintf(value, sizeof value, "it gave %ld", result);
  if (result >= 0) escaped(what, value);
  else if (strstr(list, name) != NULL) held(what, error_name(code));
  else escaped(what, error_name(code));
}

/* How a child ended: `exit N` or `signal N`. */
static const char *end_of(pid_t child) {
  static char text[32];
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
  else snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
  return text;
}

/* Runs a block in a child. */
#define IN_CHILD(...) ({ fflush(stdout); pid_t child_ = fork(); if (child_ == 0) { __VA_ARGS__; _exit(0); } end_of(child_); })

/* The host's own queue, for the canaries: one message of eight bytes. */
static int open_queue(void) {
  struct { long flags, max_messages, message_size, messages, reserved[4]; } attributes = {0, 1, 8, 0, {0}};
  umask(0);
  return syscall(SYS_mq_open, getenv("MARK"), O_CREAT | O_RDWR, 0666, &attributes) < 0;
}

static int close_queue(void) { return syscall(SYS_mq_unlink, getenv("MARK")) != 0; }
