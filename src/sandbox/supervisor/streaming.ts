import type { StreamName, TakeOutput } from "../runtime.ts";
import type { ExecReply } from "./exec.ts";

export type LiveText = {
  /** Bytes of the kept start of a stream, as they arrive. */
  readonly take: (stream: StreamName, data: Uint8Array) => unknown;
  /** What the reply has and the bytes so far did not: the kept end, after a line that says what is missing. */
  readonly finish: (reply: ExecReply) => void;
};

/** Passes a command's output on as text while it arrives: in the end, each stream has given what its bounded output holds. */
export function liveText(onOutput: TakeOutput): LiveText {
  const streams = {
    stdout: { decoder: new TextDecoder("utf-8", { ignoreBOM: true }), given: 0 },
    stderr: { decoder: new TextDecoder("utf-8", { ignoreBOM: true }), given: 0 },
  };
  const give = (stream: StreamName, text: string): unknown => {
    streams[stream].given += text.length;
    return text === "" ? undefined : onOutput(stream, text);
  };
  return {
    take: (stream, data) => give(stream, streams[stream].decoder.decode(data, { stream: true })),
    finish: (reply) => {
      if (reply.kind === "not-started") return;
      for (const stream of ["stdout", "stderr"] as const) void give(stream, reply[stream].text.slice(streams[stream].given));
    },
  };
}
