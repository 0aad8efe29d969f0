import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What stands at a path: enough to tell two states of it apart. Paths are bytes, as a text of latin1. */
export type Fact = {
  readonly type: "file" | "directory" | "link" | "other";
  readonly mode: number;
  readonly content: string;
  /** Changes with every touch. */ readonly stamp: string;
};
export type Facts = ReadonlyMap<string, Fact>;

/** A tree as it is, by relative path: what a plain copy of the directory would hold. */
export function readFacts(root: string): Facts {
  const facts = new Map<string, Fact>();
  const walk = (directory: string): void => {
    for (const name of readdirSync(Buffer.from(`${root}/${directory}`, "latin1"), { encoding: "buffer" })) {
      const path = directory === "" ? name.toString("latin1") : `${directory}/${name.toString("latin1")}`;
      const fact = factOf(Buffer.from(`${root}/${path}`, "latin1"));
      facts.set(path, fact);
      if (fact.type === "directory") walk(path);
    }
  };
  walk("");
  return facts;
}

function factOf(path: Buffer): Fact {
  const stats = lstatSync(path);
  const stamp = [stats.ino, stats.mtimeMs, stats.ctimeMs].join(" ");
  const mode = stats.mode & 0o7777;
  if (stats.isDirectory()) return { type: "directory", mode, content: "", stamp };
  if (stats.isSymbolicLink()) return { type: "link", mode: 0o777, content: readlinkSync(path, "latin1"), stamp };
  if (stats.isFile()) return { type: "file", mode, content: createHash("sha256").update(readFileSync(path)).digest("hex"), stamp };
  return { type: "other", mode, content: "", stamp };
}

/** Whether two facts show the same to who looks at them; both may be missing. */
export function isSame(one: Fact | undefined, other: Fact | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.type === other.type && one.mode === other.mode && one.content === other.content;
}
