/* What a snapshot of a layer holds, and what each entry was in the layer: kept beside it, so that the next one copies only what changed. */
#ifndef WARDER_SNAPSHOT_INDEX_H
#define WARDER_SNAPSHOT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct index_entry {
  uint64_t inode;
  int64_t size, mtime_ns, ctime_ns;
  uint32_t mode, uid, gid;
  /* Of its extended attributes. */
  uint64_t attributes;
  /* The snapshot before has it as it is. Not stored. */
  bool is_kept;
  const char *path;
};

struct snapshot_index {
  /* When its snapshot was begun; 0: what stands in it is compared before it counts as unchanged. */
  int64_t begun_ns;
  struct index_entry *entries;
  size_t count, capacity;
  /* Places of entries by their path. */
  size_t *table, table_size;
};

/* The path is not copied. */
struct index_entry index_entry_of(const struct stat *status, const char *path);
/* Copies the path. Returns its place. Ends the program where there is no memory. */
size_t add_entry(struct snapshot_index *index, const struct index_entry *entry);
void set_change_time(struct snapshot_index *index, size_t place, const struct stat *status);
/* NULL: there is none. */
struct index_entry *find_entry(const struct snapshot_index *index, const char *path);
/* False with errno; EINVAL for a file that is no whole index. */
bool read_index(const char *path, struct snapshot_index *index);
bool write_index(const char *path, const struct snapshot_index *index);

#endif
