#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "output.h"
#include "sweep.h"
#include "wire.h"

/* Two of the largest frames and some small ones: a slow host holds up the command's output, never the supervisor's clock. */
#define CAPACITY (4 * MAX_OUTPUT_BYTES)

static uint8_t queue[CAPACITY];
static size_t start, end;

size_t output_room(void) { return CAPACITY - (end - start); }

bool output_is_pending(void) { return end > start; }

bool output_flush(void) {
  while (start < end) {
    ssize_t written = write(STDOUT_FILENO, queue + start, end - start);
    if (written > 0) start += (size_t)written;
    else if (written < 0 && errno == EINTR) continue;
    else if (written < 0 && errno == EAGAIN) return true;
    else if (written < 0 && (errno == ENOMEM || errno == ENOBUFS)) {
      /* Memory pressure passes, or the command that makes it is killed. */
      poll(NULL, 0, 5);
      return true;
    } else return false;
  }
  start = end = 0;
  return true;
}

static void output_drain(int ms) {
  uint64_t until = now_ns() + (uint64_t)ms * 1000000;
  while (output_is_pending() && now_ns() < until) {
    struct pollfd writable = {.fd = STDOUT_FILENO, .events = POLLOUT};
    poll(&writable, 1, 50);
    if (!output_flush()) return;
  }
}

_Noreturn void end_session(int status, enum fault fault, const char *text) {
  if (text != NULL && output_room() >= 256) {
    uint8_t code = (uint8_t)fault;
    output_frame(REPLY_FAULT, 0, (struct slice){&code, 1}, (struct slice){(const uint8_t *)text, strlen(text)});
    output_drain(1000);
  }
  /* PID 1 is about to end, and the kernel then kills the rest: this only makes it certain before the streams close. */
  kill_others();
  _exit(status);
}

void output_frame(enum reply_type type, uint32_t id, struct slice head, struct slice tail) {
  size_t length = FRAME_HEAD + head.length + tail.length;
  if (length + 4 > output_room()) end_session(EXIT_OUTPUT, FAULT_SYSTEM, "the output queue is full");
  if (length + 4 > CAPACITY - end) {
    memmove(queue, queue + start, end - start);
    end -= start;
    start = 0;
  }
  uint8_t *place = put_u32(put_u8(put_u32(queue + end, (uint32_t)length), (uint8_t)type), id);
  if (head.length > 0) memcpy(place, head.data, head.length);
  if (tail.length > 0) memcpy(place + head.length, tail.data, tail.length);
  end += length + 4;
}
