/* Where a path leads, and how to open what is there without following a link. */
#ifndef WARDER_WALK_H
#define WARDER_WALK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "../settings.h"
#include "../wire.h"

#define REAL_SIZE 8192

enum node_type { NODE_MISSING, NODE_FILE, NODE_DIRECTORY, NODE_LINK, NODE_OTHER };

/* Where a path leads. `status` is meaningful when `exists`. */
struct place {
  enum failure failure;
  bool exists;
  struct stat status;
  char real[REAL_SIZE];
};

/* Follows every link of an absolute path, component by component. Fills `place`, whose failure it returns. */
enum failure walk(struct slice path, struct place *place);
/* The longest root that contains a real path, or NULL. */
const struct root *root_of(const char *real);
/* Opens a real path beneath its root, without following any link. A descriptor, or -1 with errno. */
int open_beneath(const struct root *root, const char *real, int flags);
enum node_type node_type(mode_t mode);

#endif
