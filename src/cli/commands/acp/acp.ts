import { serveAcp } from "../../../serve/acp/server.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { leaveUnread } from "../../process/leave-unread.ts";

type AcpOptions = { policy?: string; model?: string; editorAnswers: boolean; version: string };

/** `warder acp`: serves an editor over standard input and output, a run for each of its sessions. Everything else is said on standard error. */
export async function acp({ version, editorAnswers: mayAnswer, ...named }: AcpOptions): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`warder: ${text}\n`);
  if (process.stdin.isTTY) say("an editor is expected at standard input. Put this command into your editor's settings.");
  return await withInterrupt(async (signal) => {
    const { stdin: input, stdout: output } = process;
    say(await serveAcp({ input, output, signal, version, named, mayAnswer, say }));
    leaveUnread(output);
    return signal.aborted ? EXIT.interrupted : EXIT.done;
  });
}
