#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "wire.h"

#define MAX_ARGUMENTS 65536
#define MAX_VARIABLES 4096
#define MAX_HEAD_BYTES (1u << 30)
#define MAX_TAIL_BYTES (4u << 20)
#define MAX_TIMEOUT_MS 86400000u

/* The next field as a C string of the buffer at *text, which is moved on. NULL: malformed. */
static char *next_text(struct reader *reader, char **text) {
  struct slice bytes = read_bytes(reader);
  if (reader->is_bad || (bytes.length > 0 && memchr(bytes.data, 0, bytes.length))) return NULL;
  char *start = *text;
  if (bytes.length > 0) memcpy(start, bytes.data, bytes.length);
  start[bytes.length] = '\0';
  *text += bytes.length + 1;
  return start;
}

static bool next_texts(struct reader *reader, char **list, uint32_t count, char **text) {
  for (uint32_t i = 0; i < count; i++)
    if ((list[i] = next_text(reader, text)) == NULL) return false;
  list[count] = NULL;
  return true;
}

static bool read_into(struct reader *reader, struct exec_request *request, size_t payload_length) {
  /* Each text is at most as long as its field (a NUL instead of four bytes of length); the lists are bounded by their limits. */
  size_t lists = (MAX_ARGUMENTS + MAX_VARIABLES + 2) * sizeof(char *);
  char *memory = malloc(lists + payload_length);
  if (memory == NULL) return false;
  request->memory = memory;
  request->command.argv = (char **)(void *)memory;
  char *text = memory + lists;
  request->command.cwd = next_text(reader, &text);
  if (request->command.cwd == NULL || request->command.cwd[0] != '/') return false;
  uint32_t count = read_u32(reader);
  if (count < 1 || count > MAX_ARGUMENTS || !next_texts(reader, request->command.argv, count, &text)) return false;
  request->command.env = request->command.argv + count + 1;
  count = read_u32(reader);
  if (count > MAX_VARIABLES || !next_texts(reader, request->command.env, count, &text)) return false;
  struct slice input = read_bytes(reader);
  if (!reader_is_done(reader) || (input.length > 0 && !request->has_stdin)) return false;
  if (input.length > 0) memcpy(text, input.data, input.length);
  request->input = (struct slice){(uint8_t *)text, input.length};
  return true;
}

bool read_exec_request(struct slice payload, struct exec_request *request) {
  struct reader reader = {payload.data, payload.length, false};
  *request = (struct exec_request){0};
  request->timeout_ms = read_u32(&reader);
  uint8_t flags = read_u8(&reader);
  request->head_bytes = read_u32(&reader);
  request->tail_bytes = read_u32(&reader);
  request->kills_at_limit = flags & 1;
  request->has_stdin = flags & 2;
  request->input_follows = flags & 4;
  if (reader.is_bad || flags > 7 || (request->input_follows && !request->has_stdin) || request->timeout_ms < 1 || request->timeout_ms > MAX_TIMEOUT_MS) return false;
  if (request->head_bytes > MAX_HEAD_BYTES || request->tail_bytes > MAX_TAIL_BYTES) return false;
  if (read_into(&reader, request, payload.length)) return true;
  free(request->memory);
  request->memory = NULL;
  return false;
}
