/* The names of a directory, sorted by bytes, without "." and "..". */
#ifndef WARDER_NAMES_H
#define WARDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {
  char **items;
  size_t count, capacity;
};

/* Leaves the descriptor open. False: not all of them could be read. */
bool read_names(int directory, struct names *names);
bool has_name(const struct names *names, const char *name);
void free_names(struct names *names);

#endif
