/** Fields of the supervisor's frames: big-endian integers and length-prefixed bytes. */

/** A value that does not fit the protocol; the reader never reads past its end. */
export class FieldError extends Error {
  override readonly name = "FieldError";
}

export type FieldReader = {
  u8(): number;
  u16(): number;
  u32(): number;
  /** A number; throws FieldError above 2^53 - 1. */
  u64(): number;
  /** Any 64-bit value. */
  u64Exact(): bigint;
  /** Exactly `length` bytes, without a copy. */
  raw(length: number): Uint8Array;
  /** A length-prefixed field, without a copy. */
  bytes(): Uint8Array;
  /** All that is left. */
  rest(): Uint8Array;
  /** Throws FieldError unless everything was read. */
  end(): void;
  isAtEnd(): boolean;
};

/** Reads fields one after the other; every method throws {@link FieldError} when the data ends too early. */
export function readFields(data: Uint8Array): FieldReader {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = 0;
  const take = (length: number): number => {
    if (length > data.byteLength - offset) throw new FieldError(`A field of ${length} bytes at offset ${offset} is not complete.`);
    const start = offset;
    offset += length;
    return start;
  };
  const raw = (length: number): Uint8Array => {
    const start = take(length);
    return data.subarray(start, start + length);
  };
  const reader: FieldReader = {
    u8: () => view.getUint8(take(1)),
    u16: () => view.getUint16(take(2)),
    u32: () => view.getUint32(take(4)),
    u64Exact: () => view.getBigUint64(take(8)),
    u64: () => {
      const value = view.getBigUint64(take(8));
      if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FieldError(`${value} is out of range.`);
      return Number(value);
    },
    raw,
    bytes: () => raw(view.getUint32(take(4))),
    rest: () => raw(data.byteLength - offset),
    end: () => {
      if (offset !== data.byteLength) throw new FieldError(`${data.byteLength - offset} bytes too many.`);
    },
    isAtEnd: () => offset === data.byteLength,
  };
  return reader;
}

export type Field =
  | { readonly kind: "u8" | "u16" | "u32"; readonly value: number }
  | { readonly kind: "u64"; readonly value: number }
  | { readonly kind: "raw" | "bytes"; readonly value: Uint8Array };

const encoder = new TextEncoder();

export const u8 = (value: number): Field => ({ kind: "u8", value });
export const u16 = (value: number): Field => ({ kind: "u16", value });
export const u32 = (value: number): Field => ({ kind: "u32", value });
export const u64 = (value: number): Field => ({ kind: "u64", value });
export const raw = (value: Uint8Array): Field => ({ kind: "raw", value });
/** A length-prefixed field; text is encoded as UTF-8. */
export const bytes = (value: Uint8Array | string): Field => ({ kind: "bytes", value: typeof value === "string" ? encoder.encode(value) : value });

const WIDTH = { u8: 1, u16: 2, u32: 4, u64: 8, raw: 0, bytes: 4 } as const;

/** The fields one after the other. Throws {@link FieldError} for an integer that does not fit. */
export function writeFields(fields: readonly Field[]): Uint8Array {
  let length = 0;
  for (const field of fields) length += WIDTH[field.kind] + (typeof field.value === "number" ? 0 : field.value.byteLength);
  const data = new Uint8Array(length);
  const view = new DataView(data.buffer);
  let offset = 0;
  for (const field of fields) offset = writeField(view, offset, field);
  return data;
}

function writeField(view: DataView, offset: number, field: Field): number {
  if (typeof field.value !== "number") {
    if (field.kind === "bytes") view.setUint32(offset, field.value.byteLength);
    const start = offset + WIDTH[field.kind];
    new Uint8Array(view.buffer).set(field.value, start);
    return start + field.value.byteLength;
  }
  const limit = field.kind === "u64" ? Number.MAX_SAFE_INTEGER : 2 ** (8 * WIDTH[field.kind]) - 1;
  if (!Number.isInteger(field.value) || field.value < 0 || field.value > limit) throw new FieldError(`${field.value} does not fit ${field.kind}.`);
  if (field.kind === "u8") view.setUint8(offset, field.value);
  else if (field.kind === "u16") view.setUint16(offset, field.value);
  else if (field.kind === "u32") view.setUint32(offset, field.value);
  else view.setBigUint64(offset, BigInt(field.value));
  return offset + WIDTH[field.kind];
}
