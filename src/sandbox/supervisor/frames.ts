import { FieldError, raw, u32, u8, writeFields } from "./fields.ts";
import { MAX_REPLY_FRAME, MAX_REQUEST_FRAME } from "./protocol.ts";

export type Frame = { readonly type: number; readonly id: number; readonly payload: Uint8Array };

/** Type and id stand before the payload and count in the length. */
const FRAME_HEAD = 5;

/** One frame as bytes. Throws {@link FieldError} when the payload is longer than `maxLength` allows. */
export function encodeFrame(frame: Frame, maxLength: number = MAX_REQUEST_FRAME): Uint8Array {
  const length = FRAME_HEAD + frame.payload.byteLength;
  if (length > maxLength) throw new FieldError(`A frame of ${length} bytes is longer than ${maxLength}.`);
  return writeFields([u32(length), u8(frame.type), u32(frame.id), raw(frame.payload)]);
}

export type ParserStep = { readonly frames: readonly Frame[]; /** Once set the stream is unusable: nothing more is parsed. */ readonly error: string | null };

export type FrameParser = {
  /** Takes any bytes in any portions and never throws; holds at most one incomplete frame. */
  push(data: Uint8Array): ParserStep;
  /** Bytes that wait for the rest of their frame. */
  pendingBytes(): number;
};

/** An incremental parser of frames that are at most `maxLength` bytes after their length field. */
export function createFrameParser(maxLength: number = MAX_REPLY_FRAME): FrameParser {
  let pending: Uint8Array = new Uint8Array(0);
  let error: string | null = null;
  const push = (data: Uint8Array): ParserStep => {
    if (error !== null) return { frames: [], error };
    const input = pending.byteLength === 0 ? data : Buffer.concat([pending, data]);
    const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
    const frames: Frame[] = [];
    let offset = 0;
    while (input.byteLength - offset >= 4) {
      const length = view.getUint32(offset);
      if (length < FRAME_HEAD || length > maxLength) {
        error = `A frame claims a length of ${length} bytes; ${FRAME_HEAD} to ${maxLength} are allowed.`;
        pending = new Uint8Array(0);
        return { frames, error };
      }
      if (input.byteLength - offset - 4 < length) break;
      const start = offset + 4;
      frames.push({ type: view.getUint8(start), id: view.getUint32(start + 1), payload: copy(input, start + FRAME_HEAD, start + length) });
      offset = start + length;
    }
    pending = copy(input, offset, input.byteLength);
    return { frames, error: null };
  };
  return { push, pendingBytes: () => pending.byteLength };
}

// Not `slice`, which on a Buffer gives a view of memory that its stream may use again.
function copy(data: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(data.subarray(start, end));
}
