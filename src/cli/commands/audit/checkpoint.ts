import { readSink, sendTo } from "../../../app/records/sink.ts";
import { withRecords } from "../../../app/records/records.ts";
import { checkpointPublicKey, signCheckpoint } from "../../../audit/checkpoints/checkpoint.ts";
import { AgentError } from "../../../base/errors.ts";
import { EXIT } from "../../process/exit-code.ts";
import { visibleJson } from "../../../base/text.ts";

export type CheckpointOptions = { readonly to?: string; readonly publicKey?: boolean };

/** `warder audit checkpoint`: signs the end of the log and prints it, or sends it to where the log's owner cannot change it. */
export function checkpoint(options: CheckpointOptions): number {
  const sink = options.to === undefined ? null : readSink(options.to);
  return withRecords(({ audit }) => {
    if (options.publicKey === true) {
      process.stdout.write(checkpointPublicKey(audit));
      return EXIT.done;
    }
    const signed = signCheckpoint(audit);
    if (signed === null) throw new AgentError("usage", "The audit log is empty: there is nothing to sign.");
    if (sink === null) process.stdout.write(`${visibleJson(signed)}\n`);
    else sendTo(sink, signed);
    return EXIT.done;
  });
}
