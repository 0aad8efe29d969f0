import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { called, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { childrenIn, type FamilyPlace, familyPlace, recordsHere, rulingsOf } from "../support/family-place.ts";

/** What is left of sub-agents' own overlays: their directories, and what is mounted for them. */
function leftOf({ state }: FamilyPlace, children: readonly string[]): readonly string[] {
  const mounted = readFileSync("/proc/self/mountinfo", "utf8");
  return children.filter((id) => existsSync(join(state, "runs", id)) || mounted.includes(id));
}

const apart = (task: string, id: string, more: object = {}) => called("agent_apart", { task, ...more }, id);
const first = (): string => childrenIn(recordsHere())[0] ?? "";
/** A turn whose calls name the first sub-agent. */
const merging = (...calls: readonly (readonly [id: string, input: object])[]) => ({
  get calls() {
    return calls.map(([id, input]) => called("agent_merge", { agent: first(), ...input }, id));
  },
});

const CHANGES =
  "cat mine.txt && echo three >> kept.txt && rm old.txt && echo new > new.txt && mkdir d && printf 'a\\0b' > d/data.bin && chmod +x new.txt && ln -s kept.txt link && echo child > shared.txt && git init -q . && chmod 600 mode.txt";

describeWithDocker("a sub-agent in an overlay of its own", () => {
  test("begins with the workspace as it is, changes nothing of it, and its parent takes what it wants, file by file", async () => {
    const here = familyPlace();
    for (const name of ["kept.txt", "old.txt", "shared.txt", "mode.txt"]) writeFileSync(join(here.workspace, name), `${name}\n`);
    const left: string[] = [];
    const { end, heard, records } = await here.play(
      {
        "Main.": [
          { calls: [called("write_file", { path: "mine.txt", content: "mine\n" }, "w"), called("shell", { command: "echo two >> kept.txt" }, "k")] },
          { calls: [apart("Child: one.", "a"), apart("Child: two.", "b", { tools: ["shell"] })] },
          { calls: [called("shell", { command: "cat kept.txt mine.txt; ls -a; echo meanwhile > shared.txt" }, "look")] },
          merging(["list", {}], ["kept", { show: "kept.txt" }], ["shared", { show: "shared.txt" }], ["stranger", { agent: "run-000000000000" }]),
          merging(
            ["unchanged", { write: ["mine.txt"] }],
            ["link", { write: ["new.txt", "link"] }],
            ["wrong", { delete: ["new.txt"] }],
            ["outside", { write: ["../outside.txt"] }],
          ),
          merging(["conflict", { write: ["new.txt", "shared.txt"], delete: ["old.txt"] }]),
          merging(["take", { write: ["kept.txt", "d/data.bin"], delete: ["old.txt"] }]),
          { calls: [called("shell", { command: "cat kept.txt new.txt shared.txt; od -c d/data.bin; ls" }, "after")] },
        ],
        "Child: one.": [{ calls: [called("shell", { command: CHANGES }, "c"), called("agent_apart", { task: "Grandchild." }, "g")] }, { text: "One is done." }],
        "Child: two.": [{ calls: [called("shell", { command: "test ! -e new.txt && echo not seen" }, "c")] }, { text: "Two looked." }],
      },
      // Their overlays are gone as soon as they ended, not with their parent.
      {
        onEvent: (event) => {
          if (event.kind === "tool-end" && event.callId === "look") left.push(...leftOf(here, childrenIn(recordsHere())));
        },
      },
    );
    expect(left).toEqual([]);
    expect(end.kind, end.reason).toBe("done");
    const children = childrenIn(records);
    const results = resultsOf(heard, "Main.");
    const [, , one = "", two = "", look = "", list = "", kept = "", shared = "", stranger = "", ...merges] = results;
    expect(resultsOf(heard, "Child: one.")[0]).toContain("mine");
    expect(resultsOf(heard, "Child: two.")[0]).toContain("not seen");
    for (const text of [one, list]) {
      expect(text).toMatch(/^ {2}added d\/data\.bin \(3 bytes\)$/mu);
      expect(text).toMatch(/^ {2}modified kept\.txt \(19 bytes\)$/mu);
      expect(text).toMatch(/^ {2}added new\.txt \(4 bytes, executable there\)$/mu);
      expect(text).toMatch(/^ {2}deleted old\.txt$/mu);
      expect(text).toMatch(/^ {2}added link \(.*cannot be merged: a symlink is not merged\)$/mu);
      expect(text).toMatch(/^ {2}modified mode\.txt \(.*cannot be merged: its mode alone changed\)$/mu);
      expect(text).toMatch(/^ {2}modified \.git \(.*cannot be merged: commits and other changes/mu);
      expect(text).not.toContain("mine.txt");
    }
    expect(one).toContain("One is done.");
    expect(two).toContain("It changed nothing.");
    // Not before it was taken.
    expect(look).toContain("kept.txt\ntwo\nmine\n");
    expect(look).not.toMatch(/new\.txt|link|\.git/u);
    expect(kept).toContain("+three");
    expect(shared).toContain("merging it is a conflict");
    expect(stranger).toContain("There is no sub-agent of this run with that name");
    const [unchanged = "", link = "", wrong = "", outside = "", conflict = "", take = "", after = ""] = merges;
    expect(unchanged).toContain("has not changed mine.txt. Nothing was changed.");
    expect(link).toContain("link cannot be merged: a symlink is not merged. Nothing was changed.");
    expect(wrong).toContain("name it under write. Nothing was changed.");
    expect(outside).toContain("The sub-agent has not changed");
    expect(conflict).toContain("Not merged: shared.txt changed here since the sub-agent began.\nNothing was deleted.\nMerged new.txt");
    expect(take.split("\n").slice(1)).toEqual(["Merged kept.txt", "Merged d/data.bin", "Deleted old.txt"]);
    expect(after).toContain("kept.txt\ntwo\nthree\nnew\nmeanwhile\n");
    expect(after).toMatch(/a {2}\\0 {3}b/u);
    expect(after).not.toContain("old.txt");
    // Each file that was taken was judged as a write of the run itself.
    expect(rulingsOf(records, records.find(({ kind }) => kind === "run-start")?.run ?? "").filter((ruling) => ruling.startsWith("agent_merge"))).toHaveLength(
      10,
    );
    expect(leftOf(here, children)).toEqual([]);
    expect(readdirSync(here.workspace).toSorted()).toEqual(["kept.txt", "mode.txt", "old.txt", "shared.txt"]);
    expect(readFileSync(join(here.workspace, "kept.txt"), "utf8")).toBe("kept.txt\n");
    const opened = records.filter(({ kind, run }) => kind === "sandbox-opened" && children.includes(run ?? ""));
    expect(new Set(opened.map(({ run }) => run))).toEqual(new Set(children));
  });

  test("is not started where the workspace is not kept apart", async () => {
    const here = familyPlace();
    const parts = { "Main.": [{ calls: [apart("Child: go.", "a")] }], "Child:": [] };
    const bound = await here.play(parts, { policy: "sandbox: { workspace: none }\n" });
    expect(resultsOf(bound.heard, "Main.")).toEqual([expect.stringContaining("Not started: The workspace of this run is not kept apart")]);
    expect(leftOf(here, childrenIn(recordsHere()))).toEqual([]);
  });
});
