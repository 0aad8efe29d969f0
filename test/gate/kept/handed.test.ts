import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sha256 } from "../../../src/base/digest.ts";
import { type Handed, keepHanded, keepHandedContent } from "../../../src/gate/kept/handed.ts";
import type { Label } from "../../../src/policy/label.ts";
import { defineTool } from "../../../src/tools/contract/define.ts";
import { BUILT_IN_TOOLS, createRegistry } from "../../../src/tools/registry.ts";
import { policyText, type Scene, scene, textOf } from "../gate-scene.ts";

const SECRET = "hunter2-hunter2";
const LABEL: Label = { trust: "untrusted", isSensitive: true, source: "file /etc/passwords", call: "call-0", run: "run-child" };

/** A tool of an embedding program, whose own code gets the text. */
const peek = (path: string) =>
  defineTool({
    name: "peek",
    description: "",
    schema: z.object({}),
    execute: async (_input, { handles }) => ((await handles.agents.text("run-child", path)) ?? SECRET).replace(SECRET, "It saw it."),
  });

/** A run whose sub-agent `run-child` handed a file over; `run-other` is another run's. */
function handing(text = `token ${SECRET}\n`): Scene & { readonly file: string } {
  const made = scene({
    policy: `${policyText({ autonomy: "full" })}tools: { allow: [peek, agent_merge] }\n`,
    change: ({ setting }) => ({ tools: createRegistry(BUILT_IN_TOOLS, [peek(join(setting.workspace, "a.txt"))]) }),
  });
  Object.assign(made.session, { redact: (told: string) => told.replaceAll(SECRET, "[secret]") });
  const file = join(made.workspace, "a.txt");
  const { store } = made;
  const { artifacts } = store.paths;
  const row = {
    workspace: made.workspace,
    policyName: "test",
    policyDigest: "0",
    task: "t",
    model: null,
    session: null,
    owner: "1:1",
    startedAtMs: 0,
    policyFile: null,
  };
  for (const [id, parent] of [
    ["run-child", "run-test"],
    ["run-other", "run-foreign"],
  ] as const) {
    store.exclusively(() => store.runs.start({ ...row, id, parent, parentCall: "call/0", isUnattended: true }));
    const change = { path: file, kind: "added", size: text.length, before: null, after: sha256(text), isExecutable: false, obstacle: null } as const;
    keepHandedContent(artifacts, id, file, Buffer.from(text));
    keepHanded(artifacts, id, { changes: [change], labels: [LABEL] } satisfies Handed);
  }
  return { ...made, file };
}

describe("what a sub-agent handed over", () => {
  test("is for the run that it is of this run alone", async () => {
    const { call } = handing();
    expect(textOf(await call("agent_merge", { agent: "run-child" }))).toContain("added a.txt");
    for (const agent of ["run-other", "run-none", "../run-child", "run-test"])
      expect(textOf(await call("agent_merge", { agent, write: ["a.txt"] })), agent).toContain("There is no sub-agent of this run with that name");
  });

  test("tells no secret as a text, and is merged as it is", async () => {
    const { call, file } = handing();
    const shown = textOf(await call("agent_merge", { agent: "run-child", show: "a.txt" }));
    expect(shown).toContain("+token [secret]");
    expect(textOf(await call("peek", {}))).toBe("token [secret]\n");
    expect(textOf(await call("agent_merge", { agent: "run-child", write: ["a.txt"] }))).toBe("Merged a.txt");
    expect(readFileSync(file, "utf8")).toBe(`token ${SECRET}\n`);
  });

  test("bears the labels of all that the sub-agent had been given, merged or shown", async () => {
    const { call } = handing();
    for (const input of [{}, { show: "a.txt" }, { write: ["a.txt"] }])
      expect((await call("agent_merge", { agent: "run-child", ...input })).result.labels, JSON.stringify(input)).toContainEqual(LABEL);
  });

  test("is no other bytes than it was", async () => {
    const { call, store, file } = handing();
    writeFileSync(join(store.paths.artifacts, "run-child", "handed", sha256(file).slice(0, 32)), "evil");
    expect(textOf(await call("agent_merge", { agent: "run-child", write: ["a.txt"] }))).toContain("Not merged: a.txt");
  });

  test("is not merged where the policy lets the run write nothing", async () => {
    const made = handing();
    const { call } = scene({
      policy: policyText({ autonomy: "read-only" }),
      change: () => ({ store: made.store, audit: { store: made.store, clock: made.clock } }),
    });
    expect((await call("agent_merge", { agent: "run-child", write: ["a.txt"] })).kind).toBe("denied");
  });
});
