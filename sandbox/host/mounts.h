#ifndef WARDER_MOUNTS_H
#define WARDER_MOUNTS_H

#include <stdbool.h>

#include "record.h"

/* Performs a record of a plan and remembers what must be undone. */
bool perform(const struct record *record);
void undo_all(void);
/* Unmounts everything stacked on a path. */
bool unmount(const char *path);
bool is_access(const char *text);

#endif
