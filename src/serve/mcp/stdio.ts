import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ClientRun } from "../../app/run/client-run.ts";
import { complaints, createServing, type ServingOptions } from "./serving.ts";

type Streams = {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it. */
  readonly signal: AbortSignal;
};

/** A longer line ends the session: no call of a tool is as long. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/**
 * Serves a run's tools to the client at the other end of two streams, until its end of them closes, a line is too long, or the signal fires. Returns why
 * it ended, once no call goes on. Throws what a call failed with that must end the run.
 */
export async function serveOverStdio(run: ClientRun, { input, output, signal, ...options }: Streams & ServingOptions): Promise<string> {
  const serving = createServing(() => Promise.resolve(run), options);
  const paced = (): void => {
    // Of a client that writes and does not read, nothing more is taken in.
    if (!output.writableNeedDrain) return;
    input.pause();
    output.once("drain", () => input.resume());
  };
  const gone = (): void => serving.end("the client closed its end");
  const interrupted = (): void => serving.end("it was stopped");
  for (const name of ["end", "close", "error"]) input.on(name, gone);
  signal.addEventListener("abort", interrupted, { once: true });
  if (signal.aborted) interrupted();
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_LINE_BYTES });
  const connection = serveStdio(({ era }) => serving.newServer(era === "legacy" ? "sessions" : "requests"), { transport, onerror: complaints(options.say) });
  const closed = transport.onclose;
  const onclose = (): void => {
    closed?.();
    serving.end("the connection was closed");
  };
  Object.assign(transport, { onclose });
  try {
    input.on("data", paced);
    return await serving.ended();
  } finally {
    signal.removeEventListener("abort", interrupted);
    input.off("data", paced);
    await connection.close();
    input.destroy();
  }
}
