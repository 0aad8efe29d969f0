/* What a command reads on its standard input: what its request held, and what followed. */
#ifndef WARDER_INPUT_H
#define WARDER_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct input {
  int file; /* the end that is written to; -1: there is none any more */
  struct slice given;
  uint8_t *more; /* what followed it; start to end is not written */
  size_t more_start, more_end;
  bool follows;
};

/* Whether anything is to be done once it can be written to. */
bool input_waits(const struct input *input);
/* Takes bytes that followed; none: its end. False: more waits than is kept, or there is no memory. */
bool input_add(struct input *input, struct slice bytes);
/* Writes what can be written, and closes where nothing more can come. */
void input_write(struct input *input);
void input_close(struct input *input);

#endif
