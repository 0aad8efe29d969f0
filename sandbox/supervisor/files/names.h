/* The names of a directory, sorted by bytes, without "." and "..". The host's program has them, too. */
#ifndef WARDER_NAMES_H
#define WARDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {
  char **items;
  size_t count, capacity;
};

/* At most `limit` names. Leaves the descriptor open. False: not all of them could be held or read; errno says why, 0 that there are more. */
bool read_names(int directory, size_t limit, struct names *names);
bool has_name(const struct names *names, const char *name);
void free_names(struct names *names);

#endif
