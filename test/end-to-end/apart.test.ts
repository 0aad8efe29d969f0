import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
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

/** What the parent itself changed is no change of its sub-agents. */
const OWN = "echo two >> kept.txt && ln -s mine.txt own-alias && chmod +x mode.txt && mkdir own-dir && touch own-dir/own.txt";
const CHANGES =
  "cat mine.txt && echo three >> kept.txt && rm old.txt && echo new > new.txt && mkdir d && printf 'a\\0b' > d/data.bin && chmod +x new.txt && ln -s kept.txt link && echo child > shared.txt && git init -q . && chmod 600 mode.txt && chmod +x run.sh && chmod -x tool.sh && rm -r gone && rm -r full && ln -s kept.txt taken && rm away";

describeWithDocker("a sub-agent in an overlay of its own", () => {
  test("begins with the workspace as it is, changes nothing of it, and its parent takes what it wants, file by file", async () => {
    const here = familyPlace();
    for (const name of ["gone", "gone/in", "full"]) mkdirSync(join(here.workspace, name));
    const files = ["kept.txt", "old.txt", "shared.txt", "mode.txt", "run.sh", "tool.sh", "gone/a.txt", "gone/in/b.txt", "full/c.txt"];
    for (const name of files) writeFileSync(join(here.workspace, name), `${name}\n`);
    chmodSync(join(here.workspace, "tool.sh"), 0o755);
    symlinkSync("kept.txt", join(here.workspace, "away"));
    const left: string[] = [];
    const { end, heard, records } = await here.play(
      {
        "Main.": [
          { calls: [called("write_file", { path: "mine.txt", content: "mine\n" }, "w"), called("shell", { command: OWN }, "k")] },
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
          { calls: [called("shell", { command: "touch taken full/d.txt" }, "mine")] },
          merging(
            ["other", { links: [{ path: "link", to: "/etc/passwd" }] }],
            ["stands", { links: [{ path: "taken", to: "kept.txt" }] }],
            ["filled", { delete: ["full/c.txt"], remove_directories: ["full"] }],
            ["still", { executable: ["tool.sh"] }],
          ),
          merging([
            "rest",
            {
              delete: ["gone/in/b.txt", "gone/a.txt"],
              remove_directories: ["gone/in", "gone"],
              links: [{ path: "link", to: "kept.txt" }],
              executable: ["new.txt", "run.sh"],
              not_executable: ["tool.sh"],
            },
          ]),
          { calls: [called("shell", { command: "stat -c '%A %N' link new.txt run.sh tool.sh mode.txt; ls -d gone full/*" }, "end")] },
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
      expect(text).toMatch(/^ {2}added link \(a link to kept\.txt\)$/mu);
      expect(text).toMatch(/^ {2}deleted away \(cannot be merged: a deleted link is not merged/mu);
      expect(text).toMatch(/^ {2}mode mode\.txt \(not executable there\)$/mu);
      expect(text).toMatch(/^ {2}mode run\.sh \(executable there\)$/mu);
      expect(text).toMatch(/^ {2}deleted gone\/in\/b\.txt\n(?:.*\n)*? {2}deleted gone\/in \(a directory\)\n {2}deleted gone \(a directory\)$/mu);
      expect(text).toMatch(/^ {2}modified \.git \(.*cannot be merged: commits and other changes/mu);
      expect(text).not.toMatch(/mine\.txt|own-/u);
    }
    expect(one).toContain("One is done.");
    expect(two).toContain("It changed nothing.");
    // Not before it was taken.
    expect(look).toContain("kept.txt\ntwo\nmine\n");
    expect(look).not.toMatch(/new\.txt|link|\.git/u);
    expect(kept).toContain("+three");
    expect(shared).toContain("merging it is a conflict");
    expect(stranger).toContain("There is no sub-agent of this run with that name");
    const [
      unchanged = "",
      link = "",
      wrong = "",
      outside = "",
      conflict = "",
      take = "",
      after = "",
      ,
      other = "",
      stands = "",
      filled = "",
      still = "",
      rest = "",
    ] = merges;
    expect(unchanged).toContain("has not changed mine.txt. Nothing was changed.");
    expect(link).toContain("link is a link that was added there: name it under links. Nothing was changed.");
    expect(wrong).toContain("name it under write or executable. Nothing was changed.");
    expect(other).toContain("link leads to kept.txt there, and not to /etc/passwd. Nothing was changed.");
    expect(stands).toMatch(/Not all was done: .*exists/u);
    expect(filled).toMatch(/Not all was done: .*not empty/u);
    expect(still).toContain("tool.sh is a file whose mode changed there: name it under not_executable. Nothing was changed.");
    expect(rest.split("\n").slice(1)).toEqual([
      "Deleted gone/in/b.txt",
      "Deleted gone/a.txt",
      "Removed gone/in",
      "Removed gone",
      "Linked link",
      "Executable new.txt",
      "Executable run.sh",
      "Not executable tool.sh",
    ]);
    const last = merges.at(-1) ?? "";
    expect(last).toMatch(
      /^lrwx.{6} 'link' -> 'kept\.txt'\n-rwx.{6} 'new\.txt'\n-rwx.{6} 'run\.sh'\n-rw-.{6} 'tool\.sh'\n-rwx.{6} 'mode\.txt'\nfull\/d\.txt\n/mu,
    );
    expect(outside).toContain("The sub-agent has not changed");
    expect(conflict).toContain("Not merged: shared.txt changed here since the sub-agent began.\nNothing else was changed.\nMerged new.txt");
    expect(take.split("\n").slice(1)).toEqual(["Merged kept.txt", "Merged d/data.bin", "Deleted old.txt"]);
    expect(after).toContain("kept.txt\ntwo\nthree\nnew\nmeanwhile\n");
    expect(after).toMatch(/a {2}\\0 {3}b/u);
    expect(after).not.toContain("old.txt");
    // Each file that was taken was judged as a write of the run itself.
    expect(rulingsOf(records, records.find(({ kind }) => kind === "run-start")?.run ?? "").filter((ruling) => ruling.startsWith("agent_merge"))).toHaveLength(
      15,
    );
    expect(leftOf(here, children)).toEqual([]);
    expect(new Set(readdirSync(here.workspace, { recursive: true, encoding: "utf8" }))).toEqual(new Set(["away", "full", "gone", "gone/in", ...files]));
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
