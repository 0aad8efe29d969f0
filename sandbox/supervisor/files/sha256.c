#include "sha256.h"

#include <string.h>

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
    0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void add_block(uint32_t state[8], const uint8_t *block) {
  uint32_t words[64], v[8];
  for (int i = 0; i < 16; i++) {
    const uint8_t *at = block + 4 * i;
    words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t near = words[i - 2], far = words[i - 15];
    words[i] = words[i - 16] + words[i - 7] + (rotate(far, 7) ^ rotate(far, 18) ^ far >> 3) + (rotate(near, 17) ^ rotate(near, 19) ^ near >> 10);
  }
  memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; i++) {
    /* The eight registers turn by one place a round: the index does, so that nothing is copied. */
    uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7], f = v[(5 - i) & 7], g = v[(6 - i) & 7];
    uint32_t first = v[(7 - i) & 7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + words[i];
    uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    v[(3 - i) & 7] += first;
    v[(7 - i) & 7] = first + second;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
}

void sha256_start(struct sha256 *hash) {
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, initial, sizeof initial);
  hash->length = 0;
}

void sha256_add(struct sha256 *hash, const void *data, size_t length) {
  const uint8_t *bytes = data;
  while (length > 0) {
    size_t used = hash->length % 64, part = 64 - used < length ? 64 - used : length;
    if (part == 64) add_block(hash->state, bytes);
    else {
      memcpy(hash->block + used, bytes, part);
      if (used + part == 64) add_block(hash->state, hash->block);
    }
    hash->length += part;
    bytes += part;
    length -= part;
  }
}

void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]) {
  uint64_t bits = hash->length * 8;
  uint8_t end[72] = {0x80}, *place = end + (hash->length % 64 < 56 ? 56 : 120) - hash->length % 64;
  for (int i = 0; i < 8; i++) place[i] = (uint8_t)(bits >> (56 - 8 * i));
  sha256_add(hash, end, (size_t)(place + 8 - end));
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
