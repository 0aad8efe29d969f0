#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

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

static bool read_all(DIR *stream, size_t limit, struct names *names) {
  for (;;) {
    /* The end of a directory and a fault look alike but for this. */
    errno = 0;
    struct dirent *entry = readdir(stream);
    if (entry == NULL) return errno == 0;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (names->count == limit || !add_name(names, entry->d_name)) return false;
  }
}

bool read_names(int directory, size_t limit, struct names *names) {
  *names = (struct names){0};
  int own = dup(directory);
  DIR *stream = own < 0 ? NULL : fdopendir(own);
  if (stream == NULL) {
    if (own >= 0) close(own);
    return false;
  }
  rewinddir(stream);
  bool is_whole = read_all(stream, limit, names);
  int fault = errno;
  closedir(stream);
  if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, compare);
  errno = fault;
  return is_whole;
}

bool has_name(const struct names *names, const char *name) {
  return names->count > 0 && bsearch(&name, names->items, names->count, sizeof *names->items, compare) != NULL;
}

void free_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->items[i]);
  free(names->items);
  *names = (struct names){0};
}
