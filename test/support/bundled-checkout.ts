import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const MARK = "says the bundle";

export type Answer = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** What is bundled: what `warder check` takes, or every command. Each with words of an answer, as they stand in the bundle, and what gives that answer. */
const KINDS = {
  check: { script: "build-check.ts", words: '"runs without a question"', mark: `"${MARK}"`, argv: ["check", "true"] },
  command: { script: "build-command.ts", words: "No runs yet.", mark: `${MARK}.`, argv: ["runs"] },
} as const;

/** A copy of the checkout with a bundle of its own, and a place to ask about. */
export type BundledCheckout = {
  readonly root: string;
  readonly workspace: string;
  /** Runs `bin/warder`, which takes the bundle when it may. */
  readonly ask: (argv: readonly string[], input?: string) => Answer;
  /** Runs any program there. */
  readonly run: (program: string, argv: readonly string[]) => Answer;
  /** Runs the sources themselves. */
  readonly askSources: (argv: readonly string[], input?: string) => Answer;
  /** Whether `bin/warder` answers from the bundle: its words differ from those of the sources. */
  readonly usesBundle: () => boolean;
  /** Takes the state of every file for the one that the bundle was made from. */
  restamp(): void;
  /** The path of a file of the bundle. */
  readonly bundle: string;
  readonly stamp: string;
  remove(): void;
};

/** Makes the copy and its bundle, whose words of one answer are changed, so that it can be told from the sources. */
export function makeBundledCheckout(kind: keyof typeof KINDS = "check"): BundledCheckout {
  const { script, words, mark, argv: tellingArgv } = KINDS[kind];
  const place = mkdtempSync(join(tmpdir(), "warder-bundle-"));
  const [root, workspace, home] = [join(place, "checkout"), join(place, "workspace"), join(place, "home")];
  for (const path of [join(root, ".tools"), workspace, home]) mkdirSync(path, { recursive: true });
  for (const name of ["bin", "src", "policies", "scripts", "package.json", "package-lock.json"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, ".tools/bin"));
  symlinkSync(process.execPath, join(root, ".tools/bin/node"));
  const run = (program: string, argv: readonly string[], input = ""): Answer => {
    const env = { ...process.env, HOME: home, WARDER_HOME: join(place, "state"), NODE_COMPILE_CACHE: join(place, "compiled"), NO_COLOR: "1" };
    const { status, stdout, stderr } = spawnSync(program, argv, { cwd: workspace, env, input, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const built = run(process.execPath, [join(root, "scripts", script)]);
  if (built.status !== 0) throw new Error(`no bundle was made: ${built.stderr}`);
  const { signatureOf } = createRequire(import.meta.url)(join(root, "bin/check.cjs")) as { signatureOf: (path: string) => string };
  const stamp = join(root, `.tools/${kind}.json`);
  const { main, files } = JSON.parse(readFileSync(stamp, "utf8")) as { main: string; files: Record<string, string> };
  const bundle = join(
    root,
    Object.keys(files).find((path) => path.startsWith(`.tools/${kind}-`) && readFileSync(join(root, path), "utf8").includes(words)) ?? "",
  );
  const original = readFileSync(bundle, "utf8");
  const restamp = (): void => {
    writeFileSync(bundle, original.replace(words, mark));
    const now = Object.fromEntries(Object.keys(files).map((path) => [path, signatureOf(join(root, path))]));
    writeFileSync(stamp, JSON.stringify({ main, files: now }));
  };
  restamp();
  const ask = (argv: readonly string[], input?: string): Answer => run(join(root, "bin/warder"), argv, input);
  return {
    root,
    workspace,
    ask,
    run,
    askSources: (argv, input) => run(process.execPath, [join(root, "src/cli/main.ts"), ...argv], input),
    usesBundle: () => ask(tellingArgv).stdout.includes(MARK),
    restamp,
    bundle,
    stamp,
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** An answer of the bundle in the words of the sources. */
export function inPlainWords(answer: Answer): Answer {
  return { ...answer, stdout: answer.stdout.replaceAll(MARK, "runs without a question") };
}
