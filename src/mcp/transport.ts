import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isNestedBeyond } from "./json-size.ts";

/** A server's standard input and output, wherever it runs. */
export type Pipe = {
  write(text: string): void;
  /** Why it ended, as a clause, and the end of what it said on standard error. Never rejects. */
  readonly ended: Promise<{ readonly why: string; readonly noise: string }>;
  close(): Promise<void>;
};

/** Starts a server; `onText` takes what it writes. Throws what starting it throws. */
export type StartPipe = (onText: (text: string) => unknown) => Promise<Pipe>;

/** A message on one line. A result of 400 KB is cut by whoever shows it; images may be some megabytes. */
const MAX_LINE = 16 * 1024 * 1024;
const MAX_NESTING = 200;
/** Lines that are no message. Some servers greet. */
const MAX_NOISE_LINES = 100;
/** From one server in one life: one that writes without end has ended. */
const MAX_CHARACTERS = 512 * 1024 * 1024;
const MAX_MESSAGES = 200_000;

/** `why`: the reason for which this side ended it; null: it did not. */
export type LineTransport = Transport & { readonly ended: Promise<{ readonly why: string; readonly noise: string }> };

/** One JSON message a line, within limits; what breaks them ends the server. */
export async function openLines(start: StartPipe): Promise<LineTransport> {
  let parts: string[] = [];
  let length = 0;
  let total = 0;
  let noise = 0;
  let messages = 0;
  let fault: string | null = null;
  let pipe: Pipe | null = null;
  const early: JSONRPCMessage[] = [];
  const broken = Promise.withResolvers<string>();
  const isOpen = (): boolean => fault === null;
  const end = (why: string): void => {
    if (fault !== null) return;
    fault = why;
    parts = [];
    broken.resolve(why);
    void pipe?.close().catch(() => undefined);
  };

  const take = (line: string): void => {
    if (line.trim() === "") return;
    const message = messageIn(line);
    if (message === null) {
      noise += 1;
      if (noise > MAX_NOISE_LINES) end("it wrote more to its standard output that is no message than a server does");
      return;
    }
    messages += 1;
    if (messages > MAX_MESSAGES) return end("it sent messages without end");
    if (transport.onmessage === undefined) early.push(message);
    else transport.onmessage(message);
  };

  const onText = (text: string): void => {
    if (fault !== null) return;
    total += text.length;
    if (total > MAX_CHARACTERS) return end("it wrote more than a server does");
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const whole = parts.join("") + line;
      parts = [];
      length = 0;
      if (isOpen()) take(whole);
    }
    if (!isOpen() || rest === "") return;
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE) end("a message of it is longer than 16 MiB");
  };

  const transport: LineTransport = {
    ended: Promise.resolve({ why: "", noise: "" }),
    start: () => {
      for (const message of early.splice(0)) transport.onmessage?.(message);
      return Promise.resolve();
    },
    send: (message) => {
      if (fault !== null) return Promise.reject(new Error(fault));
      pipe?.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: async () => {
      end("it was closed");
      await pipe?.close();
    },
  };
  pipe = await start(onText);
  if (!isOpen()) await pipe.close();
  const ended = Promise.race([pipe.ended, broken.promise.then((why) => ({ why, noise: "" }))]).then((ending) => {
    // What is left of one that ended by itself goes, too.
    end(ending.why);
    transport.onclose?.();
    return { ...ending, why: fault ?? ending.why };
  });
  return Object.assign(transport, { ended });
}

function messageIn(line: string): JSONRPCMessage | null {
  if (!line.trimStart().startsWith("{") || isNestedBeyond(line, MAX_NESTING)) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const read = JSONRPCMessageSchema.safeParse(value);
  return read.success ? read.data : null;
}
