import { posix } from "node:path";
import { digestOf } from "../base/digest.ts";
import { keepsChanges, type Session } from "../sandbox/runtime.ts";

/**
 * The digest of everything that a run changed so far, contents included; null where the workspace keeps no
 * changes apart. It stands in for the inputs of a command of which nobody knows what it executes.
 */
export async function changesDigest(session: Session): Promise<string | null> {
  if (!keepsChanges(session.profile)) return null;
  const workspace = session.profile.roots[0]?.path ?? "/";
  const changes = await session.changes();
  const hashes = await session.hash(changes.map((change) => posix.join(workspace, change.path)));
  return digestOf(changes.map((change, index) => [change.path, change.kind, change.type, change.size, change.mode, hashes[index] ?? null]));
}
