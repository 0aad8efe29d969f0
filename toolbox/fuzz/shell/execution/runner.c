/*
 * The first process of the stub root: the real bash, with this library preloaded. Before bash's own `main` it reads texts,
 * forks for each a child that goes on into `main`, and answers with what happened. So bash is loaded and linked once, and
 * every text still meets a fresh one. A program that the child starts itself, if it is a stub, is played without loading it.
 *
 * Request (standard input):  u32 length | u8 exit code of stubs | u8 output of stubs | u8 x is set | u8 files exist | text
 * Answer (standard output):  u32 length of the rest | i32 status | u32 length, log | u32 length, errors | u32 length, changes
 *
 * `status` is the exit code, 1000 + signal, or -1 when the case ran out of time. `changes` is a list of
 * paths that end in 0: `+path` was created or changed, `-path` is gone. Numbers are little-endian.
 *
 * It runs as process 1 of its namespace: signals from a case cannot end it, orphans become its children, and
 * `kill(-1)` reaches everything that a case left behind.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "stub.h"

enum { TEXT_BYTES = 65536, LOG_BYTES = 65536, ERROR_BYTES = 2048, CHANGE_BYTES = 8192, TIME_MS = 600, DEEPEST = 8 };
enum { REQUESTS = 100, ANSWERS = 101 };

static const char *const PLACES[] = {"/srv", "/home", "/tmp"};
static const char *const DIRECTORIES[] = {"/srv/case/d"};
/* `f` and `x` hold commands, and some names are those of programs, options and assignments. */
static const char *const FILES[] = {"a", "b", "x", "f", "rm", "id", "x=1", "a.c", "b.c", "-n", ".h", "d/f", "d/x"};
static const char COMMANDS[] = "rm q\n";

typedef int Main(int, char **, char **);
typedef int Execute(const char *, char *const *, char *const *);

static Main *bash_main;
static Execute *real_execve;
static struct stat stub;

static char changes[CHANGE_BYTES];
static size_t changed;

static void fail(const char *what) {
  perror(what);
  exit(70);
}

static void read_all(void *target, size_t length) {
  char *to = target;
  while (length > 0) {
    ssize_t got = read(REQUESTS, to, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) exit(got == 0 ? 0 : 70);
    to += got;
    length -= (size_t)got;
  }
}

static void write_all(const void *source, size_t length) {
  const char *from = source;
  while (length > 0) {
    ssize_t sent = write(ANSWERS, from, length);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) exit(70);
    from += sent;
    length -= (size_t)sent;
  }
}

static void remove_below(const char *path, int depth) {
  DIR *directory = opendir(path);
  if (directory == NULL) return;
  struct dirent *entry;
  while ((entry = readdir(directory)) != NULL) {
    char inner[4096];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner) continue;
    if (entry->d_type == DT_DIR && depth < DEEPEST) {
      remove_below(inner, depth + 1);
      rmdir(inner);
    } else {
      unlink(inner);
    }
  }
  closedir(directory);
}

static void make_place(int has_files) {
  for (size_t index = 0; index < sizeof PLACES / sizeof *PLACES; index += 1) remove_below(PLACES[index], 0);
  mkdir("/srv/case", 0755);
  mkdir("/home/user", 0755);
  if (!has_files) return;
  mkdir(DIRECTORIES[0], 0755);
  for (size_t index = 0; index < sizeof FILES / sizeof *FILES; index += 1) {
    char path[64];
    snprintf(path, sizeof path, "/srv/case/%s", FILES[index]);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (file < 0) fail(path);
    int holds_commands = strcmp(FILES[index], "f") == 0 || strcmp(FILES[index], "x") == 0;
    if (holds_commands && write(file, COMMANDS, sizeof COMMANDS - 1) < 0) fail(path);
    /* A file of this date was not touched. */
    struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    futimens(file, times);
    close(file);
  }
}

static void note(char sign, const char *path) {
  size_t length = strlen(path);
  if (changed + length + 2 > CHANGE_BYTES) return;
  changes[changed++] = sign;
  memcpy(changes + changed, path, length + 1);
  changed += length + 1;
}

static void find_changes(const char *path, int depth) {
  DIR *directory = opendir(path);
  if (directory == NULL) return;
  struct dirent *entry;
  while ((entry = readdir(directory)) != NULL) {
    char inner[4096];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner) continue;
    if (lstat(inner, &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) {
      if (depth < DEEPEST) find_changes(inner, depth + 1);
    } else if (status.st_mtim.tv_sec != 1) {
      note('+', inner);
    }
  }
  closedir(directory);
}

static void find_losses(int has_files) {
  for (size_t index = 0; has_files && index < sizeof FILES / sizeof *FILES; index += 1) {
    char path[64];
    snprintf(path, sizeof path, "/srv/case/%s", FILES[index]);
    if (access(path, F_OK) != 0) note('-', path);
  }
}

static void limit(int resource, rlim_t value) {
  struct rlimit each = {value, value};
  setrlimit(resource, &each);
}

/* The child that becomes the shell: everything that is process 1's own is closed, and bash starts. */
static int start_case(char *text, int errors, int has_input, int has_x) {
  /* Bash writes into the texts that it is given. */
  static char words[][16] = {"main-shell", "--norc", "--noprofile", "-c"};
  static char assigned[][24] = {"PATH=/usr/bin:/bin", "HOME=/home/user", "FUNCNEST=30", "x=rm", "y=a b"};
  static char *arguments[] = {words[0], words[1], words[2], words[3], NULL, NULL};
  static char *variables[] = {assigned[0], assigned[1], assigned[2], NULL, NULL, NULL};
  arguments[4] = text;
  variables[3] = has_x ? assigned[3] : NULL;
  variables[4] = has_x ? assigned[4] : NULL;
  setsid();
  int input = open(has_input ? "/run/fuzz/input" : "/dev/null", O_RDONLY);
  int output = open("/dev/null", O_WRONLY);
  if (input < 0 || output < 0 || chdir("/srv/case") != 0) _exit(125);
  dup2(input, 0);
  dup2(output, 1);
  dup2(errors, 2);
  if (close_range(3, ~0U, 0) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0) _exit(125);
  limit(RLIMIT_NPROC, 96);
  limit(RLIMIT_FSIZE, 1 << 20);
  limit(RLIMIT_CPU, 2);
  limit(RLIMIT_AS, 256 << 20);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CORE, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  environ = variables;
  return bash_main(5, arguments, variables);
}

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the shell and for everything that it left behind. */
static int32_t wait_for_all(pid_t shell) {
  int32_t result = -1;
  int is_late = 0;
  long deadline = now_ms() + TIME_MS;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == ECHILD) return is_late ? -1 : result;
    if (ended == shell) result = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    if (ended > 0) continue;
    long left = deadline - now_ms();
    if (left <= 0) {
      is_late = 1;
      kill(-1, SIGKILL);
      left = 5;
    }
    struct timespec pause = {left / 1000, (left % 1000) * 1000000};
    sigtimedwait(&child, NULL, &pause);
  }
}

static size_t read_back(int file, char *target, size_t most) {
  ssize_t length = pread(file, target, most, 0);
  if (ftruncate(file, 0) != 0) fail("ftruncate");
  return length < 0 ? 0 : (size_t)length;
}

static void answer(int32_t status, const char *log, uint32_t logged, const char *errors, uint32_t complained) {
  uint32_t listed = (uint32_t)changed;
  uint32_t total = 4 + 4 + logged + 4 + complained + 4 + listed;
  write_all(&total, 4);
  write_all(&status, 4);
  write_all(&logged, 4);
  write_all(log, logged);
  write_all(&complained, 4);
  write_all(errors, complained);
  write_all(&listed, 4);
  write_all(changes, listed);
}

/* Ends in a child only, with what bash's `main` gives. */
static int serve(void) {
  static char text[TEXT_BYTES + 1], log[LOG_BYTES], errors[ERROR_BYTES];
  /* A case must not reach the pipes through /proc/1/fd. */
  prctl(PR_SET_DUMPABLE, 0);
  if (dup3(0, REQUESTS, O_CLOEXEC) < 0 || dup3(1, ANSWERS, O_CLOEXEC) < 0) fail("dup3");
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  int log_file = open("/run/fuzz/log", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  int error_file = open("/run/fuzz/errors", O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  int mode_file = open("/run/fuzz/mode", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  int input_file = open("/run/fuzz/input", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (log_file < 0 || error_file < 0 || mode_file < 0 || input_file < 0) fail("/run/fuzz");
  if (write(input_file, COMMANDS, sizeof COMMANDS - 1) < 0) fail("input");
  if (stat("/opt/stub", &stub) != 0) fail("/opt/stub");

  int is_dirty = 1;
  int had_files = -1;
  for (;;) {
    uint32_t length;
    uint8_t how[4];
    read_all(&length, 4);
    read_all(how, 4);
    if (length > TEXT_BYTES) exit(71);
    read_all(text, length);
    text[length] = 0;
    char mode[2] = {(char)('0' + how[0]), (char)('0' + how[1])};
    if (pwrite(mode_file, mode, 2, 0) != 2) fail("mode");
    if (is_dirty || had_files != how[3]) make_place(how[3]);
    had_files = how[3];
    pid_t shell = fork();
    if (shell < 0) fail("fork");
    if (shell == 0) return start_case(text, error_file, how[1] != 0, how[2] != 0);
    int32_t status = wait_for_all(shell);
    changed = 0;
    for (size_t index = 0; index < sizeof PLACES / sizeof *PLACES; index += 1) find_changes(PLACES[index], 0);
    find_losses(how[3]);
    is_dirty = changed > 0;
    size_t logged = read_back(log_file, log, LOG_BYTES);
    size_t complained = read_back(error_file, errors, ERROR_BYTES);
    answer(status, log, (uint32_t)logged, errors, (uint32_t)complained);
  }
}

static int serve_instead(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  return serve();
}

/* Stands before the C library's function of that name, which every program calls with its `main`. */
int __libc_start_main(Main *main, int count, char **arguments, void (*start)(void), void (*end)(void), void (*unload)(void), void *stack) {
  int (*real)(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) = dlsym(RTLD_NEXT, "__libc_start_main");
  real_execve = (Execute *)dlsym(RTLD_NEXT, "execve");
  bash_main = main;
  return real(serve_instead, count, arguments, start, end, unload, stack);
}

/* Stands before the C library's `execve`: what would load the stub is the stub. */
int execve(const char *path, char *const *arguments, char *const *environment) {
  struct stat program;
  if (stat(path, &program) == 0 && program.st_ino == stub.st_ino && program.st_dev == stub.st_dev)
    be_stub(path, arguments, environment, real_execve);
  return real_execve(path, arguments, environment);
}
