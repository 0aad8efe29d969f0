#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "settings.h"
#include "wire.h"

struct settings settings = {.heartbeat_ms = 30000};

static _Noreturn void refuse(const char *argument, const char *reason) {
  dprintf(2, "warder-supervisor: %s: %s\n", argument, reason);
  _exit(EXIT_ARGUMENTS);
}

/* The value of --name=value, or NULL. */
static const char *value_of(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static uint64_t number(const char *argument, const char *text, uint64_t limit) {
  if (*text < '0' || *text > '9') refuse(argument, "not a number");
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || value > limit) refuse(argument, "not a number in range");
  return value;
}

static const char *socket_path(const char *argument, const char *path) {
  if (path[0] != '/' || strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path) refuse(argument, "not the path of a socket");
  return path;
}

static void add_root(const char *argument, const char *text) {
  if (settings.root_count == MAX_ROOTS) refuse(argument, "too many roots");
  bool is_writable = strncmp(text, "rw:", 3) == 0;
  if (!is_writable && strncmp(text, "ro:", 3) != 0) refuse(argument, "must start with ro: or rw:");
  const char *path = text + 3;
  size_t length = strlen(path);
  if (path[0] != '/' || length > 4095) refuse(argument, "not an absolute path");
  /* Compared with real paths, so it must look like one. */
  bool is_real = length == 1 || path[length - 1] != '/';
  if (strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../")) is_real = false;
  if (!is_real) refuse(argument, "not a normalised path");
  /* The root directory is kept as length 0: a prefix of every path. */
  settings.roots[settings.root_count++] = (struct root){path, length == 1 ? 0 : length, is_writable};
}

void read_settings(int argc, char **argv) {
  bool has_uid = false, has_gid = false;
  for (int i = 1; i < argc; i++) {
    const char *argument = argv[i], *value;
    if ((value = value_of(argument, "--uid"))) {
      settings.uid = (uid_t)number(argument, value, UINT32_MAX - 1);
      has_uid = true;
    } else if ((value = value_of(argument, "--gid"))) {
      settings.gid = (gid_t)number(argument, value, UINT32_MAX - 1);
      has_gid = true;
    } else if ((value = value_of(argument, "--root"))) add_root(argument, value);
    else if ((value = value_of(argument, "--heartbeat-ms"))) settings.heartbeat_ms = (uint32_t)number(argument, value, 86400000);
    else if ((value = value_of(argument, "--nofile"))) settings.nofile = number(argument, value, INT64_MAX);
    else if ((value = value_of(argument, "--fsize"))) settings.fsize = number(argument, value, INT64_MAX);
    else if ((value = value_of(argument, "--nproc"))) settings.nproc = number(argument, value, INT64_MAX);
    else if ((value = value_of(argument, "--data"))) settings.data = number(argument, value, INT64_MAX);
    else if ((value = value_of(argument, "--proxy"))) settings.proxy = socket_path(argument, value);
    else refuse(argument, "unknown argument");
  }
  if (!has_uid || !has_gid) refuse("--uid and --gid", "missing");
  if (settings.uid == 0 || settings.gid == 0) refuse("--uid and --gid", "commands never run as 0");
  if (geteuid() != 0 && (getuid() != settings.uid || getgid() != settings.gid)) refuse("--uid and --gid", "another user needs uid 0");
}
