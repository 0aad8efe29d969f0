import type { BoundedOutput } from "../outcome.ts";

/** What the supervisor sent of one stream: its first bytes, its last bytes, and how many it had. */
export type CapturedStream = { readonly head: readonly Uint8Array[]; readonly tail: readonly Uint8Array[]; readonly totalBytes: number };

/** How many bytes of a stream are kept from its start and from its end, for a budget of `outputBytes`. */
export function splitBudget(outputBytes: number, maxTailBytes: number): { readonly headBytes: number; readonly tailBytes: number } {
  const tailBytes = Math.min(Math.floor(outputBytes / 2), maxTailBytes);
  return { headBytes: outputBytes - tailBytes, tailBytes };
}

/**
 * The text of a captured stream. When bytes were dropped between head and tail, both are trimmed to
 * whole characters and a line between them says how many bytes are missing.
 */
export function boundOutput(captured: CapturedStream): BoundedOutput {
  const head = Buffer.concat(captured.head);
  const tail = Buffer.concat(captured.tail);
  const { totalBytes } = captured;
  if (totalBytes <= head.byteLength + tail.byteLength) {
    return { text: decode(Buffer.concat([head, tail])), totalBytes, cutBytes: 0 };
  }
  const keptHead = head.subarray(0, wholeCharacters(head));
  const keptTail = tail.subarray(leadingFragment(tail));
  const cutBytes = totalBytes - keptHead.byteLength - keptTail.byteLength;
  return { text: `${decode(keptHead)}\n[${cutBytes} bytes left out]\n${decode(keptTail)}`, totalBytes, cutBytes };
}

// A byte-order mark is data here: a file's first character must not vanish.
function decode(data: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
}

/** The length of `data` without an incomplete UTF-8 sequence at its end. */
function wholeCharacters(data: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= data.byteLength; back += 1) {
    const byte = data[data.byteLength - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? data.byteLength - back : data.byteLength;
  }
  return data.byteLength;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  return 1;
}

/** How many bytes at the start of `data` continue a character that began before it. */
function leadingFragment(data: Uint8Array): number {
  let length = 0;
  while (length < 3 && length < data.byteLength && ((data[length] ?? 0) & 0xc0) === 0x80) length += 1;
  return length;
}
