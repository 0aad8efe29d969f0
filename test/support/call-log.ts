import { join } from "node:path";
import { vi } from "vitest";
import type { AuditLog } from "../../src/audit/log/log.ts";
import { appendAudit } from "../../src/audit/log/log.ts";
import { storedValue } from "../../src/audit/entries/stored-value.ts";
import type { AuditPayload } from "../../src/audit/entries/entry.ts";
import type { Verdict } from "../../src/policy/decision.ts";
import type { Label } from "../../src/policy/label.ts";
import { movableClock, temporaryAudit, temporaryStore } from "./temporary-store.ts";
import { place } from "./test-place.ts";
import type { Place } from "./warder-cli.ts";

export type Asked = {
  readonly tool?: string;
  readonly verdict?: Verdict;
  readonly seen?: readonly Label[];
  readonly run?: string;
  readonly answer?: "granted" | "refused";
};

export type LoggedInput = readonly [input: object, asked?: Asked];

/** A log of calls, each a minute after the one before, in a place whose state and home are those of the environment. */
export function callLog(calls: readonly LoggedInput[]): { readonly here: Place; readonly audit: AuditLog } {
  const here = place();
  vi.stubEnv("WARDER_HOME", here.state);
  vi.stubEnv("HOME", here.home);
  const clock = movableClock();
  const audit = temporaryAudit(temporaryStore(join(here.state)), clock);
  const add = (run: string, payload: object): void => void appendAudit(audit, { run, payload: payload as AuditPayload });
  const begun = new Set<string>();
  for (const [index, [input, asked = {}]] of calls.entries()) {
    const { tool = "shell", answer, verdict = answer === undefined ? "allow" : "ask", seen, run = "run-1" } = asked;
    if (!begun.has(run)) add(run, { kind: "run-start", workspace: here.workspace, policy: "p", autonomy: "full", task: null, model: null, isScripted: true });
    begun.add(run);
    clock.advance(60_000);
    const call = `call-${index}`;
    const kept = storedValue(input, (text) => text.replaceAll("hunter2", "[redacted: password]"));
    add(run, { kind: "ruling", call, tool, input: kept, verdict, measured: "session", seen });
    if (answer !== undefined) add(run, { kind: "approval-answered", call, ruling: "r", approval: "a", answer, by: "ann", scope: "once", reason: "" });
  }
  return { here, audit };
}
