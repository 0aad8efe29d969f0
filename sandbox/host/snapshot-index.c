#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"
#include "open.h"
#include "snapshot-index.h"

#define MAGIC "warder-snapshot1"

/* As an entry is stored; its path follows. */
struct stored {
  uint64_t inode, attributes;
  int64_t size, mtime_ns, ctime_ns;
  uint32_t mode, uid, gid, path_length;
};

struct header {
  char magic[16];
  int64_t begun_ns;
  uint64_t count;
};

static int64_t nanoseconds(const struct timespec *time) { return (int64_t)time->tv_sec * 1000000000ll + time->tv_nsec; }

struct index_entry index_entry_of(const struct stat *status, const char *path) {
  return (struct index_entry){
      .inode = status->st_ino,
      .size = S_ISDIR(status->st_mode) ? 0 : status->st_size,
      .mtime_ns = nanoseconds(&status->st_mtim),
      .ctime_ns = nanoseconds(&status->st_ctim),
      .mode = status->st_mode,
      .uid = status->st_uid,
      .gid = status->st_gid,
      .path = path,
  };
}

static void *required(void *memory) {
  if (memory == NULL) give_up("no memory");
  return memory;
}

size_t add_entry(struct snapshot_index *index, const struct index_entry *entry) {
  if (index->count == index->capacity) {
    index->capacity = index->capacity ? 2 * index->capacity : 256;
    index->entries = required(realloc(index->entries, index->capacity * sizeof *index->entries));
  }
  struct index_entry *added = &index->entries[index->count];
  *added = *entry;
  added->path = required(strdup(entry->path));
  return index->count++;
}

void set_change_time(struct snapshot_index *index, size_t place, const struct stat *status) { index->entries[place].ctime_ns = nanoseconds(&status->st_ctim); }

static uint64_t hash(const char *text) {
  uint64_t sum = 14695981039346656037u;
  for (; *text; text++) sum = (sum ^ (uint8_t)*text) * 1099511628211u;
  return sum;
}

static void make_table(struct snapshot_index *index) {
  index->table_size = 16;
  while (index->table_size < 2 * index->count) index->table_size *= 2;
  index->table = required(calloc(index->table_size, sizeof *index->table));
  for (size_t i = 0; i < index->count; i++) {
    size_t slot = hash(index->entries[i].path) & (index->table_size - 1);
    while (index->table[slot] != 0) slot = (slot + 1) & (index->table_size - 1);
    index->table[slot] = i + 1;
  }
}

struct index_entry *find_entry(const struct snapshot_index *index, const char *path) {
  if (index->table_size == 0) return NULL;
  for (size_t slot = hash(path) & (index->table_size - 1); index->table[slot] != 0; slot = (slot + 1) & (index->table_size - 1)) {
    struct index_entry *entry = &index->entries[index->table[slot] - 1];
    if (strcmp(entry->path, path) == 0) return entry;
  }
  return NULL;
}

static bool read_entry(FILE *file, struct snapshot_index *index) {
  static char path[MAX_PATH];
  struct stored stored;
  if (fread(&stored, sizeof stored, 1, file) != 1 || stored.path_length >= sizeof path || fread(path, 1, stored.path_length, file) != stored.path_length) return false;
  path[stored.path_length] = '\0';
  const struct index_entry entry = {
      .inode = stored.inode,
      .size = stored.size,
      .mtime_ns = stored.mtime_ns,
      .ctime_ns = stored.ctime_ns,
      .mode = stored.mode,
      .uid = stored.uid,
      .gid = stored.gid,
      .attributes = stored.attributes,
      .path = path,
  };
  add_entry(index, &entry);
  return true;
}

bool read_index(const char *path, struct snapshot_index *index) {
  struct header header;
  int descriptor = open_plain(path, O_RDONLY);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
  if (file == NULL) return false;
  bool is_whole = fread(&header, sizeof header, 1, file) == 1 && memcmp(header.magic, MAGIC, sizeof header.magic) == 0;
  index->begun_ns = is_whole ? header.begun_ns : 0;
  for (uint64_t i = 0; is_whole && i < header.count; i++) is_whole = read_entry(file, index);
  is_whole = is_whole && fgetc(file) == EOF;
  fclose(file);
  if (is_whole) make_table(index);
  else errno = EINVAL;
  return is_whole;
}

bool write_index(const char *path, const struct snapshot_index *index) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file == NULL) return false;
  struct header header = {.begun_ns = index->begun_ns, .count = index->count};
  memcpy(header.magic, MAGIC, sizeof header.magic);
  bool is_done = fwrite(&header, sizeof header, 1, file) == 1;
  for (size_t i = 0; is_done && i < index->count; i++) {
    const struct index_entry *entry = &index->entries[i];
    const struct stored stored = {entry->inode,  entry->attributes, entry->size, entry->mtime_ns,                 entry->ctime_ns,
                                  entry->mode, entry->uid,        entry->gid,  (uint32_t)strlen(entry->path)};
    is_done = fwrite(&stored, sizeof stored, 1, file) == 1 && fwrite(entry->path, 1, stored.path_length, file) == stored.path_length;
  }
  return (fclose(file) == 0) && is_done;
}
