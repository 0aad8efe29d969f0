/* SHA-256 (FIPS 180-4). */
#ifndef WARDER_SHA256_H
#define WARDER_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

struct sha256 {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[64];
};

void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t length);
void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]);

#endif
