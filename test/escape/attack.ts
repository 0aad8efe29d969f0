import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { OWN_UID } from "../contract/sandbox-fixture.ts";

const RUNTIMES = ["docker", "bubblewrap", "podman", "podman-rootless", "docker-elsewhere", "docker-rootless"] as const;
export type RuntimeName = (typeof RUNTIMES)[number];

/** The same, asked by who is not root. */
const WITHOUT_ROOT = ["docker-without-root", "bubblewrap-without-root", "docker-elsewhere-without-root"] as const;

const action = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("read-file"), path: z.string(), offset: z.number().default(0), length: z.number().default(4096) }),
  z.strictObject({ kind: z.literal("write-file"), path: z.string(), content: z.string() }),
  z.strictObject({
    kind: z.literal("search"),
    path: z.string(),
    text: z.string(),
    ignoresCase: z.boolean().default(false),
    maxMatches: z.number().default(1000),
    maxPerFile: z.number().default(1000),
  }),
  z.strictObject({ kind: z.literal("list"), path: z.string(), depth: z.number().default(1), maxEntries: z.number().default(1000) }),
]);

const schema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/u),
  /** What the attacker attempts. */
  tries: z.string().min(10),
  /** What must come of it. */
  must: z.string().min(8),
  /**
   * Who attacks: a command, or a supervisor that a command has taken over: the container's uid 0 with the container's three capabilities. Where
   * the supervisor has no rights of its own (bubblewrap), the second is the same as the first.
   */
  as: z.enum(["command", "supervisor"]).default("command"),
  /** Prints a line `HELD …` for what was stopped and `ESCAPED …` for what was not. */
  bash: z.string().optional(),
  /** The body of a C function that prints the same lines. */
  c: z.string().optional(),
  /** Raw calls: name, arguments as C, and the errors of which one must come. Anything else has reached the kernel's own code. */
  calls: z.array(z.tuple([z.union([z.string(), z.int()]), z.string(), z.string()])).optional(),
  /** File verbs instead of a command, after `bash`; `answer` is what each must fail with. */
  verbs: z.array(z.strictObject({ action, answer: z.array(z.string()) })).optional(),
  /** How the command must end. */
  ends: z.enum(["completed", "timed-out", "killed", "quarantined"]).default("completed"),
  timeoutMs: z.number().default(300_000),
  /**
   * `shared`: with the others in one transactional workspace. `bind`: in one whose files are the host's. `landed`: its changes are applied to
   * the host's workspace afterwards, as if a person had let everything pass. `own`: a session of its own, with `settings`. `terminal`: at a
   * person's terminal, through `warder exec`; no control character may arrive there. `orphaned`: in a
   * session whose owner is killed in the middle.
   */
  session: z.enum(["shared", "bind", "landed", "own", "terminal", "orphaned"]).default("shared"),
  settings: z.strictObject({ cpus: z.number().optional() }).default({}),
  /** A bash text for the host, after the session opened and before the attack. */
  before: z.string().optional(),
  /** A bash text for the host, after the command or after its changes landed. Prints lines like the attack's own. */
  host: z.string().optional(),
  /**
   * Why it may succeed where the engine mounts the workspace's overlay, as it does for who is not root: what it does stays in the run's own
   * layer. It is performed there all the same, and nothing of the host may move.
   */
  contained: z.string().min(20).optional(),
  /** Where the mechanism cannot stop it or there is nothing to attack, and why. */
  exempt: z.partialRecord(z.enum([...RUNTIMES, ...WITHOUT_ROOT]), z.string().min(20)).default({}),
});

/** One attack: data in attacks/*.yaml. */
export type Attack = z.infer<typeof schema> & { readonly area: string };

/** Why an attack is not made on a runtime by whoever runs this; undefined where it is. */
export function exemptionOf({ exempt }: Attack, runtime: RuntimeName): string | undefined {
  const withoutRoot = OWN_UID === 0 ? undefined : WITHOUT_ROOT.find((name) => name === `${runtime}-without-root`);
  return (withoutRoot === undefined ? undefined : exempt[withoutRoot]) ?? exempt[runtime];
}

const FOLDER = join(import.meta.dirname, "attacks");

/** All attacks, in the order of their files. Throws for an unknown key, a repeated id or an attack without a payload. */
export function loadAttacks(): readonly Attack[] {
  const seen = new Set<string>();
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) =>
      z
        .array(schema)
        .parse(parse(readFileSync(join(FOLDER, file), "utf8")))
        .map((attack) => {
          if (seen.has(attack.id)) throw new Error(`${file}: ${attack.id} is there twice`);
          seen.add(attack.id);
          const payloads = [attack.bash, attack.c, attack.calls, attack.verbs].filter((payload) => payload !== undefined);
          if (payloads.length === 0) throw new Error(`${file}: ${attack.id} does nothing`);
          return { ...attack, area: file.replace(/\.yaml$/u, "") };
        }),
    );
}
