/* Copies of the entries of a layer with all that they have: owner, mode, times, attributes, holes, and names that are one file. What cannot be copied as it is ends the program. */
#ifndef WARDER_COPY_H
#define WARDER_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* `root`: what the copies lie below; it stays open. */
void begin_copies(int root);
/* What is no directory. */
void copy_entry(int from, const char *name, int to, const struct stat *status);
/* Made, and open: `finish_directory` gives it what it has once it is full. */
int make_directory(int to, const char *name);
void finish_directory(int from, const char *name, int copy, const struct stat *status);

/* How much of a disk a file takes. */
uint64_t room_of(const struct stat *status);
bool same_bytes(int left, int right);
/* A sum of the extended attributes of an entry that is no symlink, of which no two usually have the same. */
uint64_t attributes_of(int directory, const char *name);

#endif
