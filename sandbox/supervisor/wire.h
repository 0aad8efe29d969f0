/* Frames and their fields (sandbox/PROTOCOL.md). Pure: no I/O, no allocation, total on any bytes. */
#ifndef WARDER_WIRE_H
#define WARDER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_VERSION 1
#define FRAME_HEAD 5               /* type and id, counted in a frame's length */
#define MAX_REQUEST_FRAME 16777216 /* what the host may send */
#define MAX_OUTPUT_BYTES 65536     /* data of one output frame */

enum request_type {
  REQUEST_PING = 0x01,
  REQUEST_CANCEL = 0x02,
  REQUEST_INPUT = 0x03,
  REQUEST_EXEC = 0x10,
  REQUEST_RESOLVE = 0x11,
  REQUEST_READ = 0x12,
  REQUEST_HASH = 0x13,
  REQUEST_LIST = 0x14,
  REQUEST_WRITE = 0x15,
  REQUEST_SEARCH = 0x16,
  REQUEST_PROBE = 0x17,
};

enum reply_type { REPLY_HELLO = 0x80, REPLY_PONG = 0x81, REPLY_OUTPUT = 0x82, REPLY_EXIT = 0x83, REPLY_FAULT = 0x84 };

/* How the supervisor ends, and what it says before. */
enum exit_status { EXIT_ARGUMENTS = 64, EXIT_FRAME = 65, EXIT_SYSTEM = 70, EXIT_OUTPUT = 74, EXIT_HEARTBEAT = 75 };
enum fault { FAULT_FRAME = 1, FAULT_HEARTBEAT = 2, FAULT_SWEEP = 3, FAULT_SYSTEM = 4 };

/* Why a command or a verb did not start. */
enum stage { STAGE_NONE, STAGE_BAD_REQUEST, STAGE_BUSY, STAGE_FORK, STAGE_CWD, STAGE_PROGRAM, STAGE_IDENTITY };

/* How a verb ended: its exit code. */
enum failure {
  FAILURE_NONE,
  FAILURE_NOT_FOUND,
  FAILURE_IS_DIRECTORY,
  FAILURE_NOT_A_FILE,
  FAILURE_PERMISSION,
  FAILURE_OUTSIDE_ROOTS,
  FAILURE_CONFLICT,
  FAILURE_TOO_LARGE,
  FAILURE_NO_SPACE,
  FAILURE_IO,
  FAILURE_BAD_REQUEST,
  FAILURE_NOT_A_DIRECTORY,
  FAILURE_UNRESOLVABLE,
};

struct slice {
  const uint8_t *data;
  size_t length;
};

struct frame {
  uint8_t type;
  uint32_t id;
  struct slice payload;
};

enum frame_state { FRAME_INCOMPLETE, FRAME_COMPLETE, FRAME_MALFORMED };

/* Looks for one frame at the start of data. When complete, *used says how many bytes it took. */
enum frame_state frame_next(const uint8_t *data, size_t length, struct frame *frame, size_t *used);

/* How many bytes the frame that starts here will have, or 0 when that cannot be said yet. */
size_t frame_size(const uint8_t *data, size_t length);

/* Reads fields one after the other. After the first that is not complete, is_bad stays set and all that follows is 0. */
struct reader {
  const uint8_t *data;
  size_t left;
  bool is_bad;
};

uint8_t read_u8(struct reader *reader);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
struct slice read_raw(struct reader *reader, size_t length);
struct slice read_bytes(struct reader *reader);
/* Nothing was missing and nothing is left. */
bool reader_is_done(const struct reader *reader);

/* Each writes big-endian at the place given and returns the place after it. */
uint8_t *put_u8(uint8_t *place, uint8_t value);
uint8_t *put_u16(uint8_t *place, uint16_t value);
uint8_t *put_u32(uint8_t *place, uint32_t value);
uint8_t *put_u64(uint8_t *place, uint64_t value);

#endif
