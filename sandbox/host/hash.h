#ifndef WARDER_HASH_H
#define WARDER_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "../supervisor/files/sha256.h"

/* Hashes what is left of an open file. */
bool hash_file(int file, uint8_t digest[SHA256_SIZE]);

#endif
