/* Clones of mounts. */
#ifndef WARDER_CLONE_H
#define WARDER_CLONE_H

#include <stdbool.h>
#include <stdint.h>

/* A clone of the mount that an open file lies in, rooted there, in no namespace yet: a descriptor, or -1. */
int clone_tree(int source, bool is_read_only, int user_namespace);
bool place_tree(int tree, int target);
bool clone_mount(int source, int target, bool is_read_only, int user_namespace);
int map_owners(const uint32_t uids[2], const uint32_t gids[2]);

#endif
