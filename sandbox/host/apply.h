/* One change of a real directory: done at once, or a file that is written and waits to take its place. */
#ifndef WARDER_APPLY_H
#define WARDER_APPLY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "record.h"

enum answer { ANSWER_OK, ANSWER_CONFLICT, ANSWER_ERROR };

/* A place in the real directory: its parent, its name, and what stands there. */
struct target {
  int parent;
  const char *name;
  bool exists;
  struct stat status;
  char temporary[48];
  /* A file that is written and not in its place yet, or -1. */
  int waiting;
};

/* The directory that changes, or -1. */
int open_roots(const char *root, const char *upper, bool keeps_special_bits);
/* The record must live as long as the target. */
enum answer perform_change(const struct record *record, struct target *target);
/* Puts a file that waits in its place; `syncs`: what it holds is not on the disk yet. */
enum answer settle(struct target *target, bool syncs);
enum answer error(const char *what);
enum answer conflict(const char *what);

#endif
