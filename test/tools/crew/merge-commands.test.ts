import { expect, test } from "vitest";
import { agentMergeTool } from "../../../src/tools/crew/agent-merge.ts";
import { commandOf } from "../../../src/tools/crew/merge-commands.ts";
import { type HandedChange, resultText, type ToolContext } from "../../../src/tools/contract/tool.ts";

const setting = { workspace: "/w", home: "/home/a" };
const change = (name: string, more: Partial<HandedChange> = {}): HandedChange => ({
  path: `/w/${name}`,
  kind: "added",
  size: 1,
  before: null,
  after: "f",
  isExecutable: false,
  obstacle: null,
  ...more,
});

const CHANGES = [
  change("l", { link: "a", after: null }),
  change("old", { kind: "deleted", before: "x", after: null }),
  change("d", { kind: "deleted", after: null, isDirectory: true }),
  change("new", { isExecutable: true }),
  change("tool", { kind: "mode", before: "f" }),
  change(".git", { kind: "modified", after: null, obstacle: "commits are not merged" }),
];

/** Takes it where `old` is as `sha256` says. Gives the words, and the commands that ran. */
async function merge(
  input: Omit<Parameters<typeof agentMergeTool.execute>[0], "agent">,
  sha256 = "x",
): Promise<{ readonly text: string; readonly ran: readonly string[] }> {
  const ran: string[] = [];
  const handles = {
    agents: { changes: () => Promise.resolve(CHANGES), merge: () => Promise.resolve({ kind: "completed" }) },
    files: { read: () => Promise.resolve({ kind: "completed", result: { kind: "read-file", sha256 } }) },
    shell: {
      run: (text: string) => {
        ran.push(text);
        return Promise.resolve({ kind: "completed", result: { kind: "exec", exitCode: 0 } });
      },
    },
  };
  const result = await agentMergeTool.execute({ agent: "run-1", ...input }, { ...setting, handles } as unknown as ToolContext);
  return { text: resultText(result), ran };
}

test("what is no content is taken by a command of the run's own, which replaces nothing", () => {
  const input = { delete: ["a b"], remove_directories: ["d/in", "d"], links: [{ path: "l", to: "$x" }], executable: ["e"], not_executable: ["n"] };
  const text = "rm -- '/w/a b' && rmdir -- /w/d/in /w/d && ln -sT -- \\$x /w/l && chmod +x -- /w/e && chmod -x -- /w/n";
  expect(commandOf(input, setting)?.text).toBe(text);
  expect(agentMergeTool.requests({ agent: "run-1", ...input }, setting)).toContainEqual({ kind: "command", text, cwd: "/w" });
  expect(commandOf({}, setting)).toBeNull();
  expect(agentMergeTool.validate?.({ agent: "run-1", write: ["e"], executable: ["e"] })).toContain("in a further call");
});

test("each is taken under the name that fits it", async () => {
  const taken = await merge({ links: [{ path: "l", to: "a" }], delete: ["old"], remove_directories: ["d"], executable: ["new"], not_executable: ["tool"] });
  expect(taken.ran).toHaveLength(1);
  expect(taken.text.split("\n")).toEqual(["Deleted old", "Removed d", "Linked l", "Executable new", "Not executable tool"]);
});

test.each([
  ["leads elsewhere than there", { links: [{ path: "l", to: "/etc/passwd" }] }, "l leads to a there, and not to /etc/passwd."],
  ["is a link", { write: ["l"] }, "l is a link that was added there: name it under links."],
  ["is a directory", { delete: ["d"] }, "d is a directory that was deleted there: name it under remove_directories."],
  ["is executable there", { not_executable: ["new"] }, "new is a file that was added there: name it under write or executable."],
  ["has another mode there", { write: ["tool"] }, "tool is a file whose mode changed there: name it under not_executable."],
  ["cannot be merged", { write: [".git"] }, ".git cannot be merged: commits are not merged."],
  ["was not changed", { executable: ["none"] }, "The sub-agent has not changed none."],
])("nothing is done where one of them %s", async (_what, input, problem) => {
  expect(await merge({ delete: ["old"], ...input })).toEqual({ text: `${problem} Nothing was changed.`, ran: [] });
});

test("of what cannot be taken the list says why not", async () => {
  const { text, ran } = await merge({});
  expect(text).toContain("  modified .git (1 bytes, cannot be merged: commits are not merged)\n");
  expect(text).toContain("  deleted old\n");
  expect(ran).toEqual([]);
});

test("after a conflict nothing more is done", async () => {
  const { text, ran } = await merge({ delete: ["old"], remove_directories: ["d"] }, "y");
  expect(ran).toEqual([]);
  expect(text).toContain("Not deleted: old changed here since the sub-agent began.\nNothing else was changed.");
});
