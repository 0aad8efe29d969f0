#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

static int compare(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

static bool add(struct names *names, const char *name) {
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
  if (stream == NULL) return false;
  rewinddir(stream);
  bool is_done = true;
  for (struct dirent *entry; is_done && (entry = readdir(stream)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) is_done = add(names, entry->d_name);
  closedir(stream);
  if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, compare);
  return is_done;
}

bool has_name(const struct names *names, const char *name) {
  return names->count > 0 && bsearch(&name, names->items, names->count, sizeof *names->items, compare) != NULL;
}

void free_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->items[i]);
  free(names->items);
  *names = (struct names){0};
}
