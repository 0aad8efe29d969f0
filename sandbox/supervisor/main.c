/* The supervisor: PID 1 of a sandbox. Reads frames, runs one call at a time, leaves nothing behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "clock.h"
#include "output.h"
#include "settings.h"
#include "wire.h"

#define INPUT_CHUNK 65536
#define ROOM_FOR_ANSWER 128

static uint8_t *input;
static size_t input_length, input_capacity;
static uint64_t last_frame_ns;

static void say_hello(void) {
  uint8_t payload[32], *place = put_u32(put_u16(payload, PROTOCOL_VERSION), 63);
  place = put_u32(put_u32(place, settings.uid), settings.gid);
  place = put_u32(put_u32(place, MAX_REQUEST_FRAME), settings.heartbeat_ms);
  output_frame(REPLY_HELLO, 0, (struct slice){payload, (size_t)(place - payload)}, (struct slice){0});
}

static void handle(const struct frame *frame) {
  bool is_bare = frame->payload.length == 0;
  if (frame->type == REQUEST_PING && is_bare) output_frame(REPLY_PONG, frame->id, (struct slice){0}, (struct slice){0});
  else if (frame->type == REQUEST_CANCEL && is_bare) call_cancel(frame->id);
  else if (frame->type == REQUEST_INPUT) call_input(frame);
  else if (frame->type >= REQUEST_EXEC && frame->type <= REQUEST_PROBE) call_start(frame);
  else end_session(EXIT_FRAME, FAULT_FRAME, "a frame of unknown type or with a payload it must not have");
}

/* Handles the complete frames; what is left of the input moves to the front. */
static void handle_frames(void) {
  size_t offset = 0;
  struct frame frame;
  size_t used = 0;
  while (output_room() >= ROOM_FOR_ANSWER) {
    enum frame_state state = frame_next(input + offset, input_length - offset, &frame, &used);
    if (state == FRAME_MALFORMED) end_session(EXIT_FRAME, FAULT_FRAME, "the length of a frame is out of range");
    if (state == FRAME_INCOMPLETE) break;
    last_frame_ns = now_ns();
    handle(&frame);
    offset += used;
  }
  input_length -= offset;
  if (offset > 0) memmove(input, input + offset, input_length);
}

static void make_room(void) {
  size_t needed = frame_size(input, input_length);
  if (needed > MAX_REQUEST_FRAME + 4) needed = 0; /* handle_frames refuses it */
  if (needed < input_length + INPUT_CHUNK) needed = input_length + INPUT_CHUNK;
  bool is_far_too_large = input_capacity > (1u << 20) && needed < (1u << 18);
  if (input_capacity >= needed && !is_far_too_large) return;
  uint8_t *larger = realloc(input, needed);
  if (larger == NULL) end_session(EXIT_SYSTEM, FAULT_SYSTEM, "no memory for a frame");
  input = larger;
  input_capacity = needed;
}

static void read_input(void) {
  make_room();
  ssize_t length = read(STDIN_FILENO, input + input_length, input_capacity - input_length);
  if (length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOMEM)) return;
  /* The host is gone: so is the session. */
  if (length <= 0) end_session(0, 0, NULL);
  input_length += (size_t)length;
}

static int watch_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void read_signals(int signals) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
    /* Of a sender outside of our namespace kill(2) names no process; a command of the same user has no say, nor with sigqueue(3), where it names itself. */
    if (info.ssi_signo == SIGTERM && info.ssi_pid == 0 && info.ssi_code == SI_USER) end_session(0, 0, NULL);
  call_reap();
}

/* Milliseconds until something is due; checks the heartbeat. */
static int time_left(void) {
  uint64_t now = now_ns(), due = call_deadline();
  if (settings.heartbeat_ms > 0) {
    uint64_t beat = last_frame_ns + (uint64_t)settings.heartbeat_ms * 1000000;
    if (now >= beat) {
      /* A sandbox that was frozen wakes with its pings waiting. */
      struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
      if (output_room() < ROOM_FOR_ANSWER || poll(&waiting, 1, 0) <= 0) end_session(EXIT_HEARTBEAT, FAULT_HEARTBEAT, "no heartbeat");
      return 0;
    }
    if (beat < due) due = beat;
  }
  if (due == UINT64_MAX) return -1;
  if (due <= now) return 0;
  uint64_t left = (due - now) / 1000000 + 1;
  return left > 1000000 ? 1000000 : (int)left;
}

static void prepare(void) {
  if (getpid() != 1) {
    dprintf(2, "warder-supervisor: it must be PID 1 of its own pid namespace\n");
    _exit(EXIT_ARGUMENTS);
  }
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(EXIT_SYSTEM);
  /* Nothing that an engine forgot to close reaches a command. */
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
    for (int file = 3; file < 4096; file++) close(file);
  if (chdir("/") != 0) _exit(EXIT_SYSTEM);
  for (int file = 0; file < 2; file++) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || fcntl(file, F_SETFL, flags | O_NONBLOCK) != 0) _exit(EXIT_SYSTEM);
  }
  if (fcntl(2, F_GETFL) < 0 && open("/dev/null", O_WRONLY) != 2) _exit(EXIT_SYSTEM);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("warder-supervisor %d\n", PROTOCOL_VERSION);
    return 0;
  }
  read_settings(argc, argv);
  prepare();
  int signals = watch_signals();
  if (signals < 0) _exit(EXIT_SYSTEM);
  last_frame_ns = now_ns();
  say_hello();
  for (;;) {
    struct pollfd polls[8];
    size_t count = 0, input_at = SIZE_MAX;
    polls[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
    polls[count++] = (struct pollfd){.fd = STDOUT_FILENO, .events = output_is_pending() ? POLLOUT : 0};
    if (output_room() >= ROOM_FOR_ANSWER) {
      input_at = count;
      polls[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    }
    count += call_poll(polls + count);
    int ready = poll(polls, count, time_left());
    if (ready < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM) end_session(EXIT_SYSTEM, FAULT_SYSTEM, "poll failed");
    if (ready < 0) continue;
    if (polls[0].revents) read_signals(signals);
    /* The input first: a host that closes both ends has ended the session, and nothing failed. */
    if (input_at != SIZE_MAX && polls[input_at].revents) read_input();
    if (polls[1].revents & (POLLERR | POLLHUP | POLLNVAL)) end_session(EXIT_OUTPUT, 0, NULL);
    handle_frames();
    call_advance();
    if (!output_flush()) end_session(EXIT_OUTPUT, 0, NULL);
  }
}
