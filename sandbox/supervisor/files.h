/* The file verbs' parts. All of it runs in a forked child with the identity, mounts and limits of a command. */
#ifndef WARDER_FILES_H
#define WARDER_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "names.h"
#include "sha256.h"
#include "supervisor.h"

#define REAL_SIZE 8192
#define MAX_HASHED_BYTES (64u << 20)

enum failure {
  FAILURE_NONE,
  FAILURE_NOT_FOUND,
  FAILURE_IS_DIRECTORY,
  FAILURE_NOT_A_FILE,
  FAILURE_PERMISSION,
  FAILURE_OUTSIDE_ROOTS,
  FAILURE_CONFLICT,
  FAILURE_TOO_LARGE,
  FAILURE_NO_SPACE,
  FAILURE_IO,
  FAILURE_BAD_REQUEST,
  FAILURE_NOT_A_DIRECTORY,
  FAILURE_UNRESOLVABLE,
};

enum node_type { NODE_MISSING, NODE_FILE, NODE_DIRECTORY, NODE_LINK, NODE_OTHER };

/* Where a path leads. `status` is meaningful when `exists`. */
struct place {
  enum failure failure;
  bool exists;
  struct stat status;
  char real[REAL_SIZE];
};

/* walk.c */
/* Follows every link of an absolute path, component by component. Fills `place`, whose failure it returns. */
enum failure walk(struct slice path, struct place *place);
/* The longest root that contains a real path, or NULL. */
const struct root *root_of(const char *real);
/* Opens a real path beneath its root, without following any link. A descriptor, or -1 with errno. */
int open_beneath(const struct root *root, const char *real, int flags);
enum node_type node_type(mode_t mode);

/* verbs.c */
enum failure failure_of_errno(int code);
/* Says why on stream 2 and gives back the failure. */
enum failure fail(enum failure failure, const char *reason);
enum failure fail_errno(const char *what);
/* Results, buffered, on stream 1. */
void emit(const void *data, size_t length);
void emit_u8(uint8_t value);
void emit_u32(uint32_t value);
void emit_u64(uint64_t value);
void emit_bytes(const void *data, size_t length);

/* A directory with more names is cut, so that a hostile one cannot exhaust the session's memory. */
#define MAX_NAMES 200000u

/* content.c */
/* Opens an existing regular file to read. A descriptor, or -1 with *failure set and told. */
int open_content(const struct place *place, enum failure *failure);
/* The same for an existing directory. */
int open_directory(const struct place *place, enum failure *failure);
struct content {
  uint64_t size;
  bool has_digest;
  uint8_t digest[SHA256_SIZE];
};
/* Hashes a file and copies what lies in offset..offset+length to `range`; *got says how much that was. False: errno. */
bool read_content(int file, uint64_t offset, uint8_t *range, size_t length, size_t *got, struct content *content);

enum failure verb_resolve(struct reader *reader);
enum failure verb_read(struct reader *reader);
enum failure verb_hash(struct reader *reader);
enum failure verb_list(struct reader *reader);
enum failure verb_write(struct reader *reader);
enum failure verb_search(struct reader *reader);

#endif
