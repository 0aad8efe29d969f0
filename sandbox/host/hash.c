#include <errno.h>
#include <unistd.h>

#include "../supervisor/files/sha256.h"
#include "hash.h"

bool hash_file(int file, uint8_t digest[SHA256_SIZE]) {
  static uint8_t chunk[65536];
  struct sha256 hash;
  sha256_start(&hash);
  for (;;) {
    ssize_t length = read(file, chunk, sizeof chunk);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return false;
    if (length == 0) break;
    sha256_add(&hash, chunk, (size_t)length);
  }
  sha256_end(&hash, digest);
  return true;
}
