#ifndef WARDER_REQUEST_H
#define WARDER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "wire.h"

/* A copy of an exec payload, in one allocation. */
struct exec_request {
  uint32_t timeout_ms, head_bytes, tail_bytes;
  bool kills_at_limit, has_stdin, input_follows;
  struct slice input; /* part of `memory` */
  struct command command;
  void *memory;
};
/* False: malformed. */
bool read_exec_request(struct slice payload, struct exec_request *request);

#endif
