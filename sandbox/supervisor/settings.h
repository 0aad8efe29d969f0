/* What the command line said; it never changes. */
#ifndef WARDER_SETTINGS_H
#define WARDER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_ROOTS 64

struct root {
  const char *path;
  size_t length;
  bool is_writable;
};

struct settings {
  uid_t uid;
  gid_t gid;
  struct root roots[MAX_ROOTS];
  size_t root_count;
  uint32_t heartbeat_ms;
  /* 0: as inherited */
  uint64_t nofile, fsize, nproc, data;
  /* The egress proxy's socket, or NULL: no network */
  const char *proxy;
};

extern struct settings settings;

/* Fills `settings`. Prints a line and exits with EXIT_ARGUMENTS when something is wrong. */
void read_settings(int argc, char **argv);

#endif
