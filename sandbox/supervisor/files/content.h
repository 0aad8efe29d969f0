#ifndef WARDER_CONTENT_H
#define WARDER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../wire.h"
#include "sha256.h"
#include "walk.h"

#define MAX_HASHED_BYTES (64u << 20)

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

#endif
