import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mappingFor } from "../../src/mcp/mapping.ts";
import { serverTool } from "../../src/mcp/tools.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { policyText, scene, textOf } from "../gate/gate-scene.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";
import { NOTES } from "./server-process.ts";

const POLICY = `${policyText({ autonomy: "full", network: "[api.example]" })}tools: { allow: ["*", "@notes"], mcp: { notes__run: { commands: [text] } } }\n`;
const ran = { kind: "answered", answer: { content: [{ type: "text", text: "ran" }], isError: false } } as const;

test("a command that a server runs is judged by that server's roots and hosts, and not by the run's", async () => {
  const shown = temporaryDirectory();
  mkdirSync(join(shown, "notes"));
  writeFileSync(join(shown, "notes/a"), "a");
  const server = { ...NOTES, roots: [{ path: join(shown, "notes"), access: "read" as const }], hosts: ["notes.example"] };
  const definition = { name: "run", description: "", inputSchema: { type: "object", properties: { text: { type: "string" } } }, annotations: {} };
  const live = { call: () => Promise.resolve(ran), close: () => Promise.resolve() };
  const made = scene({
    policy: POLICY,
    change: ({ policy }) => {
      const tool = serverTool(server, definition, { live, mapping: mappingFor(policy, "notes__run"), canAsk: false, onAsked: () => undefined });
      return { tools: createRegistry(undefined, [], tool === null ? [] : [tool]) };
    },
  });
  writeFileSync(join(made.workspace, "mine"), "x");
  const verdict = async (text: string): Promise<string> => textOf(await made.call("notes__run", { text }));
  expect(await verdict(`cat ${shown}/notes/a`)).toContain("ran");
  expect(await verdict("cat a")).toContain("ran");
  // For the run the one is scratch space, and the other a host that its policy opens.
  for (const text of [`touch ${shown}/notes/b`, "curl https://api.example/x"]) expect(await verdict(text), text).toMatch(/^Denied by rule/u);
  expect(await verdict("curl https://notes.example/x")).toContain("ran");
  // What it would run lies in no file of the run.
  expect(await verdict("bash mine")).not.toContain("ran");
});
