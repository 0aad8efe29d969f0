/*
 * The parsers of frames and requests under a fuzzer: under libFuzzer by `npm run fuzz -- frames` (fuzz-frames.sh), which is guided by what is
 * reached. Where there is only a compiler, `fuzz.sh` builds it with -DOWN_MAIN: then it runs the corpus, and mutates it and seeds of its
 * own for the number of seconds given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "../files/verbs.h"
#include "../request.h"
#include "../wire.h"

/* Everything that was accepted must be readable to its last byte. */
static size_t measure(const struct exec_request *request) {
  size_t sum = strlen(request->command.cwd);
  for (char **word = request->command.argv; *word; word++) sum += strlen(*word);
  for (char **variable = request->command.env; *variable; variable++) sum += strlen(*variable);
  for (size_t i = 0; i < request->input.length; i++) sum += request->input.data[i];
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static volatile size_t kept;
  (void)kept;
  size_t used;
  struct frame frame;
  for (size_t offset = 0; frame_next(data + offset, size - offset, &frame, &used) == FRAME_COMPLETE; offset += used) {
    uint32_t timeout_ms;
    struct exec_request request;
    if (used > size - offset || frame.payload.length > used) abort();
    if (frame.type != REQUEST_EXEC) kept += verb_is_well_formed(&frame, &timeout_ms);
    else if (read_exec_request(frame.payload, &request)) {
      kept += measure(&request);
      free(request.memory);
    }
  }
  return 0;
}

#ifndef OWN_MAIN
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Mostly the first frame is as long as it says, so that what lies behind the length is reached. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (size >= 4 + FRAME_HEAD && seed % 8) put_u32(data, (uint32_t)(seed % 3 ? size - 4 : FRAME_HEAD + (seed >> 8) % (size - 4 - FRAME_HEAD + 1)));
  return size;
}
#else
#define MAX_INPUT 4096
#define MAX_SEEDS 4096

struct seed {
  uint8_t *data;
  size_t size;
};

static struct seed seeds[MAX_SEEDS];
static size_t seed_count;

/* One input a line, in hexadecimal digits. */
static bool read_corpus(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  if (file == NULL) return false;
  for (ssize_t length; seed_count < MAX_SEEDS && (length = getline(&line, &room, file)) > 0;) {
    struct seed seed = {malloc((size_t)length), 0};
    unsigned byte;
    if (seed.data == NULL) return false;
    while (sscanf(line + 2 * seed.size, "%2x", &byte) == 1) seed.data[seed.size++] = (uint8_t)byte;
    seeds[seed_count++] = seed;
  }
  free(line);
  fclose(file);
  return true;
}

static uint64_t state;

static uint32_t next(uint32_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32) % limit;
}

static uint8_t *put_text(uint8_t *place, const char *text) {
  size_t length = strlen(text);
  place = put_u32(place, (uint32_t)length);
  memcpy(place, text, length);
  return place + length;
}

/* A well-formed frame of each kind; a probe has its time limit alone. */
static size_t make_seed(uint8_t *data, uint8_t type) {
  uint8_t *place = put_u32(put_u32(put_u8(data + 4, type), 7), 1000);
  if (type == REQUEST_EXEC) {
    place = put_text(put_u32(put_u32(put_u8(place, (uint8_t)next(4)), 100), 100), "/work");
    place = put_text(put_text(put_u32(place, 2), "/bin/echo"), "hello");
    place = put_text(put_text(put_u32(place, 1), "PATH=/bin"), next(2) ? "input" : "");
  } else if (type == REQUEST_RESOLVE || type == REQUEST_HASH) place = put_text(put_text(put_u32(place, 2), "/a/b"), "/c");
  else if (type == REQUEST_READ) place = put_text(put_u32(put_u64(place, 5), 10), "/a");
  else if (type == REQUEST_LIST) place = put_text(put_u32(put_u32(place, 3), 10), "/a");
  else if (type == REQUEST_WRITE) place = put_text(put_text((uint8_t *)memset(put_u8(place, 2), 7, 32) + 32, "/a"), "content");
  else if (type == REQUEST_SEARCH) place = put_text(put_text(put_u32(put_u32(put_u8(place, (uint8_t)next(2)), 100), 10), "/a"), "text");
  put_u32(data, (uint32_t)(place - data - 4));
  return (size_t)(place - data);
}

static size_t mutate(uint8_t *data, size_t size) {
  static const uint32_t edges[] = {0, 1, 4, 5, 0x7f, 0x80, 0xff, 0x1000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffe, 0xffffffff};
  for (uint32_t rounds = 1 + next(4); rounds > 0 && size > 8; rounds--) {
    uint32_t place = next((uint32_t)size - 4);
    switch (next(5)) {
      case 0: data[place] = (uint8_t)next(256); break;
      case 1: put_u32(data + place, edges[next(sizeof edges / sizeof *edges)]); break;
      case 2: data[place] ^= (uint8_t)(1u << next(8)); break;
      case 3: size -= next((uint32_t)size / 2); break;
      default:
        if (size + 64 < MAX_INPUT) {
          memmove(data + place + 16, data + place, size - place);
          size += 16;
        }
    }
    /* Mostly the length fits, so that what lies behind it is reached. */
    if (size >= 9 && next(8)) put_u32(data, (uint32_t)size - 4);
  }
  return size;
}

int main(int argc, char **argv) {
  long seconds = argc > 1 ? atol(argv[1]) : 10, inputs = 0;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 88172645463325252ull;
  if (argc > 3 && !read_corpus(argv[3])) return 1;
  for (size_t i = 0; i < seed_count; i++, inputs++) LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
  for (uint64_t until = now_ns() + (uint64_t)seconds * 1000000000; now_ns() < until; inputs++) {
    uint8_t *data = malloc(MAX_INPUT);
    if (data == NULL) return 1;
    memset(data, 0, MAX_INPUT);
    size_t size;
    const struct seed *seed = seed_count > 0 && next(2) ? &seeds[next((uint32_t)seed_count)] : NULL;
    if (seed != NULL && seed->size <= MAX_INPUT) memcpy(data, seed->data, size = seed->size);
    else size = make_seed(data, (uint8_t)(REQUEST_EXEC + next(8)));
    size = mutate(data, size);
    /* An allocation of exactly this size: the sanitizer sees a read past its end. */
    uint8_t *exact = malloc(size);
    if (exact == NULL) return 1;
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
  }
  for (size_t i = 0; i < seed_count; i++) free(seeds[i].data);
  printf("%ld inputs, nothing found\n", inputs);
  return 0;
}
#endif
