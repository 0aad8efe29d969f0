#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../wire.h"
#include "file-verbs.h"
#include "result.h"

/* What the kernel tells a command of its sandbox, and what becomes of attempts to leave it. It judges nothing: the host does. */

#define NETLINK_DEVICE_EVENTS 15

static void emit_text(const char *text) { emit(text, strlen(text)); }

static void begin_part(const char *name) {
  emit_text("\n== ");
  emit_text(name);
  emit_text("\n");
}

/* True when the file could be opened. */
static bool emit_file(const char *path) {
  char data[4096];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  for (ssize_t length; (length = read(file, data, sizeof data)) > 0 || (length < 0 && errno == EINTR);)
    if (length > 0) emit(data, (size_t)length);
  close(file);
  return true;
}

static void emit_part(const char *name, const char *path) {
  begin_part(name);
  emit_file(path);
}

/* The path of this process's control group of version 2 below /sys/fs/cgroup; empty where there is none. */
static void own_group(char *path, size_t size) {
  char line[4096];
  path[0] = '\0';
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (groups == NULL) return;
  while (fgets(line, sizeof line, groups))
    if (strncmp(line, "0::/", 4) == 0) {
      line[strcspn(line, "\n")] = '\0';
      snprintf(path, size, "%s", line[4] == '\0' ? "" : line + 3);
    }
  fclose(groups);
}

/* The limit of a control group, of either version. */
static void emit_limit(const char *name, const char *group, const char *unified, const char *legacy) {
  char path[4200];
  begin_part(name);
  snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, unified);
  if (emit_file(path)) return;
  snprintf(path, sizeof path, "/sys/fs/cgroup/%s", unified);
  if (!emit_file(path)) emit_file(legacy);
}

/* `result` is a call's: negative for a failure, whose errno is told; 0: it worked. */
static void emit_attempt(const char *name, long result) {
  char line[64];
  snprintf(line, sizeof line, "%s %d\n", name, result < 0 ? errno : 0);
  emit_text(line);
}

/* A datagram socket only looks for a route, so that nothing is sent where there is one. */
static long route_to(const struct sockaddr *address, socklen_t length) {
  int file = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  long result = connect(file, address, length);
  int code = errno;
  close(file);
  errno = code;
  return result;
}

static long route_to_ipv4(void) {
  /* 192.0.2.1, which documents use and nobody has */
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0xc0000201)};
  return route_to((struct sockaddr *)&address, sizeof address);
}

static long route_to_ipv6(void) {
  /* 2001:db8::1, likewise */
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr.s6_addr = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}};
  return route_to((struct sockaddr *)&address, sizeof address);
}

enum failure verb_probe(void) {
  char group[4096];
  struct utsname names;
  emit_part("status", "/proc/self/status");
  emit_part("limits", "/proc/self/limits");
  emit_part("mounts", "/proc/self/mountinfo");
  emit_part("interfaces", "/proc/self/net/dev");
  emit_part("routes", "/proc/self/net/route");
  begin_part("hostname");
  emit_text(uname(&names) == 0 ? names.nodename : "");
  emit_part("init", "/proc/1/cmdline");
  own_group(group, sizeof group);
  emit_limit("memory", group, "memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes");
  emit_limit("processes", group, "pids.max", "/sys/fs/cgroup/pids/pids.max");
  begin_part("attempts");
  emit_attempt("write-root", open("/.warder-probe", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  emit_attempt("route-ipv4", route_to_ipv4());
  emit_attempt("route-ipv6", route_to_ipv6());
  emit_attempt("vsock", socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
  emit_attempt("kernel-crypto", socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  emit_attempt("device-events", socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_DEVICE_EVENTS));
  emit_attempt("io-uring", syscall(SYS_io_uring_setup, 1u, NULL));
  emit_attempt("trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
  emit_attempt("user-namespace", unshare(CLONE_NEWUSER));
  /* Last: what would work changes who tries. */
  emit_attempt("become-root", setresuid(0, 0, 0));
  return FAILURE_NONE;
}
