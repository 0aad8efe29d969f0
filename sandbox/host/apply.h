/* One change of a real directory: done at once, or a file that is written and waits to take its place. */
#ifndef WARDER_APPLY_H
#define WARDER_APPLY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "record.h"
#include "verbs.h"

enum answer { ANSWER_OK, ANSWER_CONFLICT, ANSWER_ERROR };

/* A place in the real directory: its parent, its name, and what stands there. */
struct target {
  const char *path;
  int parent;
  const char *name;
  bool exists;
  struct stat status;
  char temporary[48];
  /* A file is written and not in its place yet. */
  bool waits;
  /* That file as long as it is open, or -1. */
  int file;
};

/* The directory that changes, or -1. */
int open_roots(enum direction direction, const char *root, const char *upper, const char *kept);
/* The record must live as long as the target. */
enum answer perform_change(const struct record *record, struct target *target);
/* Puts a file that waits in its place, which is synced before when it is open; or takes it away again where `before` says that something went wrong. */
enum answer settle(struct target *target, enum answer before);
enum answer error(const char *what);
enum answer conflict(const char *what);

#endif
