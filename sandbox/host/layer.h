/* Walking a layer of an overlay. */
#ifndef WARDER_LAYER_H
#define WARDER_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Longer ones no call takes as a whole, so nothing with such a path lands. */
#define MAX_PATH 4096
#define MAX_NAME 255

/* Where the walk is, relative to its beginning. */
extern char layer_path[MAX_PATH];
extern size_t layer_path_length;

/* Adds a name; what comes back is what `pop` wants. */
size_t push(const char *name);
void pop(size_t before);

/* An incomplete result must not be taken for a whole one: says what and where, and ends the program. */
_Noreturn void give_up(const char *what);

/* Without following a link, also where a run took away the right to read its own. */
int open_in(int directory, const char *name, int flags);
/* What lies in a directory is looked at by name, and a file's attributes by its own: for both its owner must be let in as long as that goes on. */
struct right {
  int entry;
  struct stat status;
  char place[64];
};
struct right let_in(int directory, const char *name);
void shut_out(const struct right *right);

bool is_whiteout(const struct stat *status);
/* `user` or `trusted`. */
void choose_attributes(const char *name_space);
/* Features that were not asked for at mount time: a tree that has them means something else than it shows. */
void refuse_features(int upper, const char *name);
bool is_opaque(int upper, const char *name);

#endif
