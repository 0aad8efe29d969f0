#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"

/* Of input that the command has not read: one that reads none must not fill the session's memory. */
#define MAX_WAITING (16u << 20)

bool input_waits(const struct input *input) {
  return input->file >= 0 && (input->given.length > 0 || input->more_start < input->more_end || !input->follows);
}

bool input_add(struct input *input, struct slice bytes) {
  size_t waiting = input->more_end - input->more_start;
  /* One that no longer reads: it was on its way. */
  if (!input->follows || input->file < 0) return true;
  if (bytes.length == 0) {
    input->follows = false;
    return true;
  }
  if (waiting + bytes.length > MAX_WAITING) return false;
  uint8_t *larger = malloc(waiting + bytes.length);
  if (larger == NULL) return false;
  if (waiting > 0) memcpy(larger, input->more + input->more_start, waiting);
  memcpy(larger + waiting, bytes.data, bytes.length);
  free(input->more);
  input->more = larger;
  input->more_start = 0;
  input->more_end = waiting + bytes.length;
  return true;
}

/* How many bytes were written; -1: none can be now, -2: nobody reads. */
static ssize_t write_some(int file, const uint8_t *data, size_t length) {
  ssize_t written;
  do written = write(file, data, length);
  while (written < 0 && errno == EINTR);
  if (written >= 0) return written;
  return errno == EAGAIN || errno == ENOMEM ? -1 : -2;
}

void input_write(struct input *input) {
  ssize_t length = 0;
  if (input->file < 0) return;
  while (input->given.length > 0 && (length = write_some(input->file, input->given.data, input->given.length)) >= 0) {
    input->given.data += length;
    input->given.length -= (size_t)length;
  }
  while (length >= 0 && input->more_start < input->more_end) {
    length = write_some(input->file, input->more + input->more_start, input->more_end - input->more_start);
    if (length > 0) input->more_start += (size_t)length;
  }
  if (length == -1 || (length >= 0 && input->follows)) return;
  /* All is written, or it does not read its input: its own affair. */
  close(input->file);
  input->file = -1;
}

void input_close(struct input *input) {
  if (input->file >= 0) close(input->file);
  free(input->more);
  *input = (struct input){.file = -1};
}
