#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

/* A directory with more names is cut, so that a hostile one cannot exhaust the session's memory. */
#define MAX_NAMES 200000u

static int compare(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

static bool add_name(struct names *names, const char *name) {
  if (names->count == names->capacity) {
    size_t capacity = names->capacity ? 2 * names->capacity : 64;
    char **items = realloc(names->items, capacity * sizeof *items);
    if (items == NULL) return false;
    names->items = items;
    names->capacity = capacity;
  }
  return (names->items[names->count] = strdup(name)) != NULL && ++names->count;
}

bool read_names(int directory, struct names *names) {
  *names = (struct names){0};
  int own = dup(directory);
  DIR *stream = own < 0 ? NULL : fdopendir(own);
  if (stream == NULL) {
    if (own >= 0) close(own);
    return false;
  }
  bool is_whole = true;
  struct dirent *entry;
  while (is_whole && (entry = readdir(stream)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    is_whole = names->count < MAX_NAMES && add_name(names, entry->d_name);
  }
  closedir(stream);
  if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, compare);
  return is_whole;
}

void free_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->items[i]);
  free(names->items);
}
