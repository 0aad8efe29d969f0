/*
 * crash-at N ROOT COMMAND...: runs a command, and kills it with all that it started before its N-th step that changes a file below ROOT, as a machine
 * that stops does; exit status 99. N of 0: runs it to its end. The steps so far go to standard error: `steps M`.
 *
 * A step is a system call that changes names or a file's status, or writes to a file below ROOT. A seccomp filter stops at those alone, and ptrace counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Elsewhere than where they are defined: those that a newer kernel, or another machine, alone has. */
static const int NAMES[] = {
    SYS_renameat, SYS_renameat2, SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_symlinkat, SYS_ftruncate, SYS_fchmod, SYS_fchown, SYS_fsync, SYS_fdatasync, SYS_syncfs,
#ifdef SYS_rename
    SYS_rename, SYS_link, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_symlink,
#endif
};
static const int WRITES[] = {SYS_write, SYS_pwrite64};
#define COUNT(list) (sizeof list / sizeof *list)

enum { MARK_NAME = 1, MARK_WRITE = 2 };

static void install_filter(void) {
  struct sock_filter code[COUNT(NAMES) * 2 + COUNT(WRITES) * 2 + 2];
  size_t at = 0;
  code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT(NAMES); i++) {
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)NAMES[i], 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | MARK_NAME);
  }
  for (size_t i = 0; i < COUNT(WRITES); i++) {
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)WRITES[i], 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | MARK_WRITE);
  }
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {.len = (unsigned short)at, .filter = code};
  /* Who is not root may install a filter only if nothing that follows gains rights. */
  if (geteuid() != 0) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("crash-at: seccomp");
    _exit(98);
  }
}

/* Of a write the file: its descriptor is the first argument. */
static int is_below(pid_t thread, const char *root) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return 0;
  char link[64], path[4097];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)thread, (int)info.seccomp.args[0]);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strncmp(path, root, strlen(root)) == 0;
}

int main(int argc, char **argv) {
  if (argc < 4) return 97;
  long wanted = strtol(argv[1], NULL, 10), steps = 0;
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    install_filter();
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status, result = 96;
  waitpid(child, &status, 0);
  const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP;
  if (ptrace(PTRACE_SETOPTIONS, child, NULL, options) != 0) return 96;
  ptrace(PTRACE_CONT, child, NULL, 0);
  for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (thread == child) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int event = status >> 16, sent = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) {
      unsigned long mark = 0;
      ptrace(PTRACE_GETEVENTMSG, thread, NULL, &mark);
      if ((mark == MARK_NAME || is_below(thread, argv[2])) && ++steps == wanted) {
        fprintf(stderr, "steps %ld\n", steps);
        /* All that is traced goes with this process, the kernel sees to that; the command itself is gone before, as whoever comes next asks for it. */
        if (result == 96) kill(child, SIGKILL);
        while (result == 96 && (thread = waitpid(-1, &status, __WALL)) > 0 && (thread != child || WIFSTOPPED(status))) continue;
        return 99;
      }
    }
    /* A stop of ptrace's own is no signal; a new thread begins with one. */
    ptrace(PTRACE_CONT, thread, NULL, event != 0 || sent == SIGSTOP || sent == SIGTRAP ? 0 : sent);
  }
  fprintf(stderr, "steps %ld\n", steps);
  return result;
}
