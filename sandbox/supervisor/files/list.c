#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../wire.h"
#include "content.h"
#include "file-verbs.h"
#include "names.h"
#include "result.h"
#include "walk.h"

struct list {
  uint32_t entries_left;
  bool is_truncated;
  char path[REAL_SIZE]; /* relative to the listed directory, ends with a slash unless empty */
  size_t path_length;
};

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
  struct names names;
  if (!read_names(directory, MAX_NAMES, &names)) list->is_truncated = true;
  for (size_t i = 0; i < names.count; i++) {
    if (list->entries_left > 0) list_entry(directory, names.items[i], depth, list);
    else list->is_truncated = true;
  }
  free_names(&names);
  close(directory);
}

enum failure verb_list(struct reader *reader) {
  static struct place place;
  static struct list list;
  uint32_t depth = read_u32(reader);
  list.entries_left = read_u32(reader);
  walk(read_bytes(reader), &place);
  enum failure failure;
  int directory = open_directory(&place, &failure);
  if (directory < 0) return failure;
  list_directory(directory, depth, &list);
  emit_u8(0);
  emit_u8(list.is_truncated);
  return FAILURE_NONE;
}
