/* What a landing takes the place of, kept so that the landing can be taken back. */
#ifndef WARDER_KEEP_H
#define WARDER_KEEP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Kept; nothing of it can be kept; it is another than it was; there is no room (errno). */
enum keeping { KEEPING_KEPT, KEEPING_NONE, KEEPING_CHANGED, KEEPING_FULL };

/*
 * Keeps the file, link or directory `name` of `parent` under `path` below the directory `kept`. `status` is what it was when it was looked at; a file that is
 * kept as a second name of it has another time of change then, which is written there.
 */
enum keeping keep_replaced(int kept, const char *path, int parent, const char *name, struct stat *status);

/* Zeros are left out as a hole. Goes to the size of what was read. */
bool copy_content(int from, int to);

#endif
