/* What the parts of warder-host share. What each verb takes and answers is in README.md. */
#ifndef WARDER_HOST_H
#define WARDER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../supervisor/sha256.h"

#define MAX_FIELDS 12
#define EXIT_ARGUMENTS 64

/* A record of NUL-terminated fields, ended by an empty one. */
struct record {
  char *fields[MAX_FIELDS];
  size_t count;
};

/* record.c */
enum record_state { RECORD_READ, RECORD_END, RECORD_MALFORMED };
enum record_state read_record(struct record *record);
void free_record(struct record *record);
bool record_is(const struct record *record, const char *name, size_t fields);
/* A decimal or octal number; false when it is none or above the limit. "-1" is UINT32_MAX where allowed by `limit`. */
bool read_number(const char *text, int base, uint64_t limit, uint64_t *value);
bool read_owner(const char *text, uint32_t *value);

/* The last thing that went wrong, for the answer. Always false, so that it can be returned. */
bool wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *what_was_wrong(void);

/* open.c: openat2 with no symbolic link followed anywhere. -1 with errno. */
int open_plain(const char *path, int flags);
int open_below(int directory, const char *path, int flags);
/* The descriptor of the parent of a relative path beneath `root`, and the last name. -1 with errno. */
int open_parent(int root, const char *path, const char **name);
/* As many open files as this process may have. */
void allow_many_files(void);

/* mounts.c: performs a record of a plan and remembers what must be undone. */
bool perform(const struct record *record);
void undo_all(void);
/* Unmounts everything stacked on a path. */
bool unmount(const char *path);
bool is_access(const char *text);
/* clone.c */
/* A clone of the mount that an open file lies in, rooted there, in no namespace yet: a descriptor, or -1. */
int clone_tree(int source, bool is_read_only, int user_namespace);
bool place_tree(int tree, int target);
bool clone_mount(int source, int target, bool is_read_only, int user_namespace);
int map_owners(const uint32_t uids[2], const uint32_t gids[2]);
/* image.c */
bool mount_image(int file, int target);

/* content.c */
/* Hashes what is left of an open file. */
bool hash_file(int file, uint8_t digest[SHA256_SIZE]);

int verb_hold(void);
/* place.c */
int verb_place(const char *pid, const char *placeholder, const char *shown);
int verb_unmount(int count, char **paths);
int verb_changes(const char *upper, const char *lower);
/* Setuid, setgid and sticky bits are kept where a run's own layer is written, which is mounted nosuid; they never land in a workspace. */
int verb_apply(const char *root, const char *upper, bool keeps_special_bits);

#endif
