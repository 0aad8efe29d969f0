#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"
#include "child.h"
#include "clock.h"
#include "files/verbs.h"
#include "forward.h"
#include "input.h"
#include "output.h"
#include "request.h"
#include "settings.h"
#include "sweep.h"
#include "wire.h"

/* The bound of a verb's result, and of the reason for its failure. */
#define VERB_HEAD_BYTES (64u << 20)
#define ROOM_FOR_EXIT 64
/* What output leaves free: thousands of pongs, which come while a host takes no output for long. */
#define ROOM_FOR_ANSWERS (32u << 10)
#define ROOM_FOR_OUTPUT (MAX_OUTPUT_BYTES + 1 + FRAME_HEAD + 4 + ROOM_FOR_ANSWERS)

enum cause { CAUSE_ITSELF, CAUSE_TIME, CAUSE_OUTPUT, CAUSE_CANCEL, CAUSE_INPUT };

/* One output of the process: the first bytes go to the host, the last are kept in a ring. */
struct stream {
  int file; /* -1: at its end */
  uint64_t total;
  uint32_t head_left;
  uint8_t *ring;
  uint64_t ring_total; /* bytes ever put into the ring */
  uint32_t ring_sent;
};

static struct {
  bool is_active, has_ended, kills_at_limit;
  uint32_t id, head_bytes, tail_bytes, orphans;
  pid_t pid, forwarder; /* forwarder: 0 where there is none */
  int status, report;
  struct input input;
  void *memory;
  enum cause cause;
  uint64_t started_ns, deadline_ns;
  struct stream streams[2];
} call;

static void send_exit(uint32_t id, const uint8_t ending[7], uint64_t duration_ns) {
  uint8_t payload[64], *place = payload;
  memcpy(place, ending, 7);
  place = put_u64(put_u64(place + 7, call.streams[0].total), call.streams[1].total);
  place = put_u64(put_u32(place, call.orphans), duration_ns / 1000);
  output_frame(REPLY_EXIT, id, (struct slice){payload, (size_t)(place - payload)}, (struct slice){0});
}

static void send_not_started(uint32_t id, enum stage stage, int code) {
  uint8_t payload[64], *place = put_u8(put_u8(payload, 3), CAUSE_ITSELF);
  place = put_u8(put_u32(place, (uint32_t)code), (uint8_t)stage);
  place = put_u64(put_u32(put_u64(put_u64(place, 0), 0), 0), 0);
  output_frame(REPLY_EXIT, id, (struct slice){payload, (size_t)(place - payload)}, (struct slice){0});
}

static void close_file(int *file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

/* Pipes for 0, 1 and 2 of the child and a report of why a program did not start; [i][0] is read from. */
static bool open_pipes(int pipes[4][2], bool has_input) {
  for (int i = 0; i < 4; i++) pipes[i][0] = pipes[i][1] = -1;
  for (int i = 0; i < 4; i++)
    if (i == 0 && !has_input) {
      if ((pipes[0][0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) return false;
    } else if (pipe2(pipes[i], O_CLOEXEC) != 0) return false;
  return true;
}

static void close_pipes(int pipes[4][2]) {
  for (int i = 0; i < 4; i++) {
    close_file(&pipes[i][0]);
    close_file(&pipes[i][1]);
  }
}

static _Noreturn void be_child(const struct frame *frame, const struct exec_request *request, int pipes[4][2]) {
  int own[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
  int code = child_become(own);
  if (frame->type == REQUEST_EXEC) {
    if (code == 0) child_execute(&request->command, pipes[3][1]);
    uint8_t record[5];
    put_u32(put_u8(record, STAGE_IDENTITY), (uint32_t)code);
    ssize_t written = write(pipes[3][1], record, sizeof record);
    (void)written;
    _exit(127);
  }
  if (code != 0) _exit(127);
  signal(SIGXFSZ, SIG_IGN); /* a verb says `too-large` instead of dying */
  _exit(verb_perform(frame));
}

static void begin(const struct frame *frame, struct exec_request *request, int pipes[4][2]) {
  /* Before the command, so that its first connection is taken. */
  if (frame->type == REQUEST_EXEC && settings.proxy != NULL) call.forwarder = forward_start();
  call.pid = call.forwarder < 0 ? -1 : patient_fork();
  if (call.pid == 0) be_child(frame, request, pipes);
  if (call.pid < 0) {
    send_not_started(frame->id, STAGE_FORK, errno);
    if (call.forwarder > 0) kill(call.forwarder, SIGKILL);
    close_pipes(pipes);
    free(request->memory);
    return;
  }
  close_file(&pipes[0][0]);
  for (int i = 1; i < 4; i++) close_file(&pipes[i][1]);
  call.is_active = true;
  call.id = frame->id;
  call.report = pipes[3][0];
  call.input = (struct input){.file = pipes[0][1], .given = request->input, .follows = request->input_follows};
  call.memory = request->memory;
  call.kills_at_limit = request->kills_at_limit;
  call.head_bytes = request->head_bytes;
  call.tail_bytes = request->tail_bytes;
  call.deadline_ns = call.started_ns + (uint64_t)request->timeout_ms * 1000000;
  for (int i = 0; i < 2; i++) {
    struct stream *stream = &call.streams[i];
    *stream = (struct stream){.file = pipes[i + 1][0], .head_left = call.head_bytes};
    if (call.tail_bytes > 0) stream->ring = malloc(call.tail_bytes);
    fcntl(stream->file, F_SETFL, O_NONBLOCK);
  }
  if (call.input.file >= 0) fcntl(call.input.file, F_SETFL, O_NONBLOCK);
}

void call_start(const struct frame *frame) {
  struct exec_request request = {.head_bytes = VERB_HEAD_BYTES};
  if (call.is_active) {
    send_not_started(frame->id, STAGE_BUSY, 0);
    return;
  }
  bool is_well_formed = frame->type == REQUEST_EXEC ? read_exec_request(frame->payload, &request) : verb_is_well_formed(frame, &request.timeout_ms);
  if (!is_well_formed || frame->id == 0) {
    free(request.memory);
    send_not_started(frame->id, STAGE_BAD_REQUEST, 0);
    return;
  }
  memset(&call, 0, sizeof call);
  call.started_ns = now_ns();
  int pipes[4][2];
  if (open_pipes(pipes, request.has_stdin)) {
    begin(frame, &request, pipes);
    return;
  }
  send_not_started(frame->id, STAGE_FORK, errno);
  close_pipes(pipes);
  free(request.memory);
}

static void note_end(pid_t pid, int status) {
  if (!call.is_active) return;
  if (pid == call.pid && !call.has_ended) {
    call.status = status;
    call.has_ended = true;
  } else if (pid == call.forwarder) call.forwarder = 0;
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) call.orphans++;
}

void call_reap(void) { reap(note_end); }

static void stop(enum cause cause) {
  if (call.has_ended) return;
  call.cause = cause;
  if (!sweep(note_end)) end_session(EXIT_SYSTEM, FAULT_SWEEP, "a process survives SIGKILL");
}

void call_cancel(uint32_t id) {
  if (call.is_active && call.id == id) stop(CAUSE_CANCEL);
}

void call_input(const struct frame *frame) {
  if (call.is_active && call.id == frame->id && !input_add(&call.input, frame->payload)) stop(CAUSE_INPUT);
}

uint64_t call_deadline(void) { return call.is_active && !call.has_ended ? call.deadline_ns : UINT64_MAX; }

/* A stream is read while its bytes can be sent or need not be: a slow host holds the command up, as a slow terminal would. */
static bool may_read(const struct stream *stream) { return stream->file >= 0 && (stream->head_left == 0 || output_room() >= ROOM_FOR_OUTPUT); }

size_t call_poll(struct pollfd *polls) {
  size_t count = 0;
  if (!call.is_active) return 0;
  for (int i = 0; i < 2; i++)
    if (may_read(&call.streams[i])) polls[count++] = (struct pollfd){.fd = call.streams[i].file, .events = POLLIN};
  if (input_waits(&call.input)) polls[count++] = (struct pollfd){.fd = call.input.file, .events = POLLOUT};
  return count;
}

static void keep_tail(struct stream *stream, const uint8_t *data, size_t length) {
  if (stream->ring == NULL) return;
  if (length > call.tail_bytes) {
    stream->ring_total += length - call.tail_bytes;
    data += length - call.tail_bytes;
    length = call.tail_bytes;
  }
  size_t place = stream->ring_total % call.tail_bytes, first = call.tail_bytes - place;
  if (first > length) first = length;
  memcpy(stream->ring + place, data, first);
  memcpy(stream->ring, data + first, length - first);
  stream->ring_total += length;
}

static void read_stream(struct stream *stream, uint8_t name) {
  static uint8_t buffer[MAX_OUTPUT_BYTES];
  while (may_read(stream)) {
    ssize_t length = read(stream->file, buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == ENOMEM) return;
    /* Behind the sweep nobody in here writes: an empty pipe is at its end, though a process outside was sent a descriptor of it and keeps that open. */
    if (length < 0 && errno == EAGAIN && !call.has_ended) return;
    if (length <= 0) {
      close_file(&stream->file);
      return;
    }
    size_t size = (size_t)length, head = size < stream->head_left ? size : stream->head_left;
    stream->total += size;
    if (head > 0) output_frame(REPLY_OUTPUT, call.id, (struct slice){&name, 1}, (struct slice){buffer, head});
    stream->head_left -= (uint32_t)head;
    if (size > head) keep_tail(stream, buffer + head, size - head);
    if (call.kills_at_limit && stream->total > (uint64_t)call.head_bytes + call.tail_bytes) stop(CAUSE_OUTPUT);
    /* One buffer a turn while it runs, so that frames and the clock are looked at however much it writes. */
    if (!call.has_ended) return;
  }
}

/* Sends what is kept of the end of a stream; true when all of it is queued. */
static bool send_tail(struct stream *stream, uint8_t name) {
  uint64_t kept = stream->ring_total < call.tail_bytes ? stream->ring_total : call.tail_bytes;
  while (stream->ring != NULL && stream->ring_sent < kept) {
    if (output_room() < ROOM_FOR_OUTPUT) return false;
    size_t place = (size_t)((stream->ring_total - kept + stream->ring_sent) % call.tail_bytes), length = (size_t)kept - stream->ring_sent;
    if (length > call.tail_bytes - place) length = call.tail_bytes - place;
    if (length > MAX_OUTPUT_BYTES) length = MAX_OUTPUT_BYTES;
    output_frame(REPLY_OUTPUT, call.id, (struct slice){&name, 1}, (struct slice){stream->ring + place, length});
    stream->ring_sent += (uint32_t)length;
  }
  return true;
}

static void finish(void) {
  uint8_t ending[7], report[5];
  ssize_t length = read(call.report, report, sizeof report);
  if (length == (ssize_t)sizeof report) {
    put_u8(put_u8(ending, 3), CAUSE_ITSELF);
    memcpy(ending + 2, report + 1, 4);
    ending[6] = report[0];
  } else {
    bool is_signal = WIFSIGNALED(call.status);
    uint8_t *place = put_u8(put_u8(ending, is_signal ? 2 : 1), (uint8_t)call.cause);
    put_u8(put_u32(place, (uint32_t)(is_signal ? WTERMSIG(call.status) : WEXITSTATUS(call.status))), STAGE_NONE);
  }
  send_exit(call.id, ending, now_ns() - call.started_ns);
  close_file(&call.report);
  input_close(&call.input);
  free(call.memory);
  for (int i = 0; i < 2; i++) free(call.streams[i].ring);
  memset(&call, 0, sizeof call);
}

void call_advance(void) {
  if (!call.is_active) return;
  call_reap();
  if (!call.has_ended && now_ns() >= call.deadline_ns) stop(CAUSE_TIME);
  /* Whatever the command left running goes before its result is told; then its pipes come to their end. */
  if (call.has_ended && !sweep(note_end)) end_session(EXIT_SYSTEM, FAULT_SWEEP, "a process survives SIGKILL");
  input_write(&call.input);
  for (int i = 0; i < 2; i++) read_stream(&call.streams[i], (uint8_t)(i + 1));
  if (!call.has_ended || output_room() < ROOM_FOR_EXIT) return;
  if (call.streams[0].file >= 0 || call.streams[1].file >= 0) return;
  if (send_tail(&call.streams[0], 3) && send_tail(&call.streams[1], 4)) finish();
}
