import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROGRAMS_TARGET, SUPERVISOR_TARGET } from "../../src/sandbox/hardening.ts";
import type { Outcome } from "../../src/sandbox/outcome.ts";
import { isJobAction, type SandboxAction, type Session } from "../../src/sandbox/runtime.ts";
import { landChanges } from "../contract/landed-changes.ts";
import { perform, profileOf } from "../contract/sandbox-fixture.ts";
import { mountsBelow } from "../contract/runtime.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace as makeHome, writePolicy } from "../support/warder-cli.ts";
import { type Attack, exemptionOf } from "./attack.ts";
import { type Canaries, openCanaries } from "./canaries.ts";
import { type ArenaOptions, containersOf, engineEnvironment, isCarried, runtimeOf, volumesOf } from "./engine.ts";
import { type Finding, judgeLines, judgeOutcome, judgeScreen, judgeVerb, type Verdict, worstOf } from "./judge.ts";
import { attackOrphaned } from "./orphaned.ts";
import { makePlace, type Place } from "./place.ts";
import { isInC } from "./probe.ts";

/** Where attacks are performed: sessions of one runtime, opened when they are needed and shared where attacks allow it. */
export type Arena = {
  attack(attack: Attack): Promise<Verdict>;
  /** Lands what the attacks of that kind left, and judges each by what the host sees. */
  land(): Promise<readonly Verdict[]>;
  /** Closes everything; a line for each thing that is left. */
  close(): Promise<readonly string[]>;
};

type Field = { readonly place: Place; readonly session: Session; readonly canaries: Canaries; readonly landing: Attack[] };

const PRELUDE = readFileSync(join(import.meta.dirname, "prelude.sh"), "utf8");
const MEMORY_BYTES = 256 * 1024 * 1024;
const OUTPUT_BYTES = 64 * 1024;
const execute = promisify(execFile);

export function openArena(attacks: readonly Attack[], options: ArenaOptions): Arena {
  const runtime = runtimeOf(options);
  const fields = new Map<string, Field>();
  const left: string[] = [];
  let compiled: Place | null = null;

  const open = async (kind: Attack["session"], settings: Attack["settings"]): Promise<Field> => {
    const place = makePlace(attacks, compiled?.probe ?? null);
    compiled ??= place;
    const mark = `warder-canary-${place.runId.slice(-6)}`;
    const watched = [place.outside, ...(kind === "bind" || kind === "landed" ? [] : [place.workspace])];
    const canaries = await openCanaries(mark, { watched, probe: place.probe });
    try {
      const session = await runtime.open(
        profileOf(place, {
          roots: [
            { path: place.workspace, access: "read-write" },
            { path: place.reference, access: "read" },
          ],
          forbidden: [`${place.folder}/**/.env`, `${place.folder}/**/secrets/**`],
          ...(kind === "landed" ? { protected: [] } : {}),
          ownPaths: [place.state],
          settings: {
            cpus: settings.cpus ?? 1,
            memoryBytes: MEMORY_BYTES,
            processes: 64,
            outputBytes: OUTPUT_BYTES,
            workspace: kind === "bind" ? "bind" : "transactional",
          },
        }),
        { runId: place.runId, runDirectory: place.runDirectory },
      );
      return { place, session, canaries, landing: [] };
    } catch (error) {
      // No sandbox: what was put up for it is taken down again.
      canaries.close();
      place.remove();
      throw error;
    }
  };

  const close = async (field: Field): Promise<void> => {
    await field.session.close();
    const { runId, folder } = field.place;
    left.push(...(await field.canaries.moved()));
    field.canaries.close();
    for (const line of mountsBelow(`${folder}/state`)) left.push(`the mount ${line}`);
    for (const container of containersOf(runId, options)) left.push(`the container ${container}`);
    for (const volume of volumesOf(runId, options)) left.push(`the volume ${volume}`);
    if (field.place !== compiled) field.place.remove();
  };

  const fieldOf = async (attack: Attack): Promise<Field> => {
    if (attack.session === "own") return open("own", attack.settings);
    const key = attack.session;
    const there = fields.get(key) ?? (await open(key, {}));
    fields.set(key, there);
    return there;
  };

  const perhapsReopen = async (attack: Attack, field: Field): Promise<void> => {
    if (attack.session !== "own" && attack.ends !== "quarantined") return;
    fields.delete(attack.session);
    await close(field);
  };

  return {
    attack: async (attack) => {
      const startedMs = performance.now();
      const finish = (finding: Finding): Verdict => ({ id: attack.id, ...finding, durationMs: performance.now() - startedMs });
      const exempt = exemptionOf(attack, options.runtime);
      if (exempt !== undefined) return finish({ result: "exempt", detail: exempt });
      if (attack.session === "terminal") return finish(await attackTerminal(attack, options));
      if (attack.session === "orphaned") return finish(await attackOrphaned(options));
      const field = await fieldOf(attack);
      const environment = environmentOf(attack, field, options);
      if (attack.before !== undefined) onHost(attack.before, environment, options);
      const finding = perhapsContained(attack, field, await performAttack(attack, field, environment, options));
      if (attack.session === "landed") field.landing.push(attack);
      const host = attack.host === undefined || attack.session === "landed" ? [] : [judgeLines(onHost(attack.host, environment, options))];
      const moved = await field.canaries.moved();
      const canary: Finding[] = moved.length === 0 ? [] : [{ result: "escaped", detail: moved.join("; ") }];
      await perhapsReopen(attack, field);
      return finish(worstOf([finding, ...host, ...canary]));
    },
    land: async () => {
      const field = fields.get("landed");
      if (field === undefined) return [];
      await landChanges({ session: field.session, runDirectory: field.place.runDirectory });
      return field.landing.map((attack) => {
        const startedMs = performance.now();
        const finding = judgeLines(onHost(attack.host ?? "broken 'nothing looks at it'", environmentOf(attack, field, options), options));
        return { id: attack.id, ...finding, durationMs: performance.now() - startedMs };
      });
    },
    close: async () => {
      for (const field of fields.values()) await close(field);
      compiled?.remove();
      return left;
    },
  };
}

async function performAttack(attack: Attack, field: Field, environment: Readonly<Record<string, string>>, options: ArenaOptions): Promise<Finding> {
  const findings: Finding[] = [];
  const text = isInC(attack) ? `exec "$PROBE" ${attack.id}` : `${PRELUDE}\n${attack.bash ?? ""}`;
  if (attack.as === "supervisor" && options.runtime !== "bubblewrap") {
    findings.push(judgeLines(await asSupervisor(text, environment, options)));
  } else {
    const { session, place } = field;
    const action: SandboxAction = {
      kind: "exec",
      argv: ["/bin/bash", "--norc", "--noprofile", "-c", text],
      cwd: place.workspace,
      env: environment,
      timeoutMs: attack.timeoutMs,
      outputBytes: OUTPUT_BYTES,
    };
    findings.push(judgeOutcome(attack, await perform(session, action)));
  }
  for (const { action, answer } of attack.verbs ?? []) findings.push(judgeVerb(answer, await verb(action, field, environment)));
  return worstOf(findings);
}

/** Where what is protected is no mount of its own. */
const OWN_LAYER: ReadonlySet<Session["mount"]> = new Set(["overlay-by-engine", "overlay-elsewhere"]);

/** Not what was read, nor how it ended. */
const isWritten = ({ result, detail }: Finding): boolean => result === "escaped" && /^ESCAPED |^a verb answered .*"kind":"write-file"/u.test(detail);

/** Whether anything of the host moved is told by the canaries, which watch the workspace to the last byte. */
function perhapsContained({ contained }: Attack, { session }: Field, finding: Finding): Finding {
  if (contained === undefined || !OWN_LAYER.has(session.mount) || !isWritten(finding)) return finding;
  return { result: "held", detail: `contained: ${finding.detail}` };
}

function verb(action: SandboxAction, field: Field, environment: Readonly<Record<string, string>>): Promise<Outcome> {
  if (action.kind === "exec" || action.kind === "request" || action.kind === "browse" || isJobAction(action)) throw new Error("A command is no verb.");
  return perform(field.session, { ...action, path: action.path.replaceAll(/\$(\w+)/gu, (whole, name: string) => environment[name] ?? whole) });
}

/** In the supervisor's place: the container's own user, capabilities and filter. */
async function asSupervisor(text: string, environment: Readonly<Record<string, string>>, options: ArenaOptions): Promise<string> {
  const variables = Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const container = environment["CONTAINER"] ?? "";
  const argv = ["exec", "--user", "0:0", ...variables, container, "/bin/bash", "--norc", "--noprofile", "-c", text];
  try {
    const { stdout, stderr } = await execute("docker", argv, { env: engineEnvironment(options), timeout: 120_000 });
    return `${stdout}\n${stderr}`;
  } catch (error) {
    // A payload may end with any code; what it printed counts.
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ""}\n${stderr ?? ""}`;
  }
}

function environmentOf(attack: Attack, { place, canaries }: Field, options: ArenaOptions): Readonly<Record<string, string>> {
  return {
    ...canaries.targets,
    WORKSPACE: place.workspace,
    OUTSIDE: place.outside,
    REFERENCE: place.reference,
    STATE: place.state,
    PROBE: place.probe,
    SUPERVISOR: isCarried(options) ? `${PROGRAMS_TARGET}/supervisor` : SUPERVISOR_TARGET,
    SCRATCH: `/tmp/${attack.id}`,
    CONTAINER: aimsAtContainer(attack) ? (containersOf(place.runId, options)[0] ?? "") : "",
  };
}

/** Whether it needs to know the container's name, which the engine must be asked for: a session may be given another at any time. */
function aimsAtContainer({ as, bash, before, host }: Attack): boolean {
  return as === "supervisor" || [bash, before, host].some((text) => text?.includes("$CONTAINER") === true);
}

function onHost(text: string, environment: Readonly<Record<string, string>>, { dockerHost }: ArenaOptions): string {
  const env = {
    ...environment,
    ...(dockerHost === undefined ? {} : { DOCKER_HOST: dockerHost }),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/nonexistent",
    SCRATCH: environment["OUTSIDE"] ?? "",
    // The workspace is another user's, and git would look away from it otherwise.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  return execFileSync("/bin/bash", ["--norc", "--noprofile", "-c", `${PRELUDE}\n${text}`], {
    env,
    encoding: "utf8",
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** As the shipped `unattended`, on any runtime: what extends it may not choose another. */
function terminalPolicy(runtime: string): string {
  const effects = "commands:\n  effects: { runs-code: allow, unknown: allow, undecidable: allow }\n";
  const roots = 'workspace:\n  roots:\n    - { path: ".", access: read-write }\n';
  return `version: 1\nname: terminal\nextends: base\nautonomy: full\n${roots}${effects}sandbox:\n  runtime: ${runtime}\n  workspace: transactional\n`;
}

async function attackTerminal(attack: Attack, options: ArenaOptions): Promise<Finding> {
  const home = makeHome();
  try {
    const policy = writePolicy(home, "terminal", terminalPolicy(options.runtime === "bubblewrap" ? "bubblewrap" : "docker"));
    const terminal = warderAtTerminal(home, ["exec", "--policy", policy, "--", attack.bash ?? ""]);
    await terminal.ended;
    return judgeScreen(terminal.screen());
  } finally {
    home.remove();
  }
}
