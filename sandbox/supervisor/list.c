#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

/* A directory with more names is cut, so that a hostile one cannot exhaust the session's memory. */
#define MAX_NAMES 200000u

struct list {
  uint32_t entries_left;
  bool is_truncated;
  char path[REAL_SIZE]; /* relative to the listed directory, ends with a slash unless empty */
  size_t path_length;
};

struct names {
  char **items;
  size_t count, capacity;
};

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

/* Takes over the descriptor. Names it could not hold make the list truncated. */
static void read_names(int directory, struct names *names, struct list *list) {
  DIR *stream = fdopendir(directory);
  if (stream == NULL) {
    close(directory);
    list->is_truncated = true;
    return;
  }
  struct dirent *entry;
  while ((entry = readdir(stream)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (names->count < MAX_NAMES && add_name(names, entry->d_name)) continue;
    list->is_truncated = true;
    break;
  }
  closedir(stream);
  if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, compare);
}

static void list_directory(int directory, uint32_t depth, struct list *list);

static void list_entry(int directory, const char *name, uint32_t depth, struct list *list) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return; /* gone meanwhile */
  size_t length = strlen(name), before = list->path_length;
  if (list->entries_left == 0 || before + length + 2 > REAL_SIZE) {
    list->is_truncated = true;
    return;
  }
  list->entries_left--;
  memcpy(list->path + before, name, length);
  emit_u8(1);
  emit_u8((uint8_t)node_type(status.st_mode));
  emit_u32(status.st_mode & 07777);
  emit_u64((uint64_t)status.st_size);
  emit_bytes(list->path, before + length);
  if (!S_ISDIR(status.st_mode) || depth <= 1) return;
  list->path[before + length] = '/';
  list->path_length = before + length + 1;
  int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  /* What the user may not enter is listed as a directory, and that is all there is to see. */
  if (inner >= 0) list_directory(inner, depth - 1, list);
  list->path_length = before;
}

static void list_directory(int directory, uint32_t depth, struct list *list) {
  struct names names = {0};
  int own = dup(directory);
  if (own >= 0) read_names(own, &names, list);
  else list->is_truncated = true;
  for (size_t i = 0; i < names.count; i++) {
    if (list->entries_left > 0) list_entry(directory, names.items[i], depth, list);
    else list->is_truncated = true;
    free(names.items[i]);
  }
  free(names.items);
  close(directory);
}

enum failure verb_list(struct reader *reader) {
  static struct place place;
  static struct list list;
  uint32_t depth = read_u32(reader);
  list.entries_left = read_u32(reader);
  walk(read_bytes(reader), &place);
  const struct root *root = root_of(place.real);
  if (place.failure != FAILURE_NONE) return fail(place.failure, "the path cannot be followed to its end");
  if (root == NULL) return fail(FAILURE_OUTSIDE_ROOTS, "the path leads out of every root");
  if (!place.exists) return fail(FAILURE_NOT_FOUND, "there is no such directory");
  if (!S_ISDIR(place.status.st_mode)) return fail(FAILURE_NOT_A_DIRECTORY, "it is not a directory");
  int directory = open_beneath(root, place.real, O_RDONLY | O_DIRECTORY);
  if (directory < 0) return fail_errno("the directory cannot be opened");
  list_directory(directory, depth, &list);
  emit_u8(0);
  emit_u8(list.is_truncated);
  return FAILURE_NONE;
}
