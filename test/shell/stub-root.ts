import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What really ran for one text: the names of the programs, and the directory each stood in. */
export type Execution = { readonly program: string; readonly directory: string };

const STUBS = ["id", "whoami", "rm", "ls", "cat", "touch", "tee", "grep", "head", "env", "nice", "nohup", "timeout", "xargs", "sh", "bash", "time"];
const REAL = {
  bash: "/bin/bash",
  sh: "/bin/dash",
  env: "/usr/bin/env",
  nice: "/usr/bin/nice",
  nohup: "/usr/bin/nohup",
  timeout: "/usr/bin/timeout",
  xargs: "/usr/bin/xargs",
};

// Every program is this script: it notes its name and does nothing, but for those that start others.
const STUB = `#!/opt/real/sh
name=\${0##*/}
printf '%s\\t%s\\t%s\\n' "$CASE" "$name" "$PWD" >> /log/executions
if [ -x "/opt/real/$name" ]; then exec "/opt/real/$name" "$@"; fi
echo 'a[$(tee)]'
[ $# -lt 2 ]
`;

// A text may define a function that starts itself twice.
const DRIVER = `export PATH=/usr/bin HOME=/home FUNCNEST=4
for file in /texts/*; do
  name=\${file##*/}
  cd "/work/$name" || exit 1
  text=$(<"$file")
  CASE=$name /opt/real/timeout -k 0.5 2 /opt/real/bash --norc --noprofile -c "$text" </dev/null >/dev/null 2>/dev/null
done
exit 0
`;

/** Whether this machine lets us build a root of our own. */
export function hasBubblewrap(): boolean {
  return spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "/bin/true"], { stdio: "ignore" }).status === 0;
}

/**
 * Runs each text with the real bash in a root whose programs are all stubs, so that nothing can do harm.
 * A text starts in `/work/INDEX` with the home `/home`.
 */
export function executeTexts(texts: readonly string[]): readonly (readonly Execution[])[] {
  const root = mkdtempSync(join(tmpdir(), "stub-root-"));
  try {
    for (const folder of ["bin", "log", "texts", "work", "home"]) mkdirSync(join(root, folder));
    for (const name of STUBS) {
      writeFileSync(join(root, "bin", name), STUB);
      chmodSync(join(root, "bin", name), 0o755);
    }
    writeFileSync(join(root, "driver"), DRIVER);
    writeFileSync(join(root, "log/executions"), "");
    texts.forEach((text, index) => {
      writeFileSync(join(root, "texts", String(index)), text);
      mkdirSync(join(root, "work", String(index)));
    });
    execFileSync("bwrap", sandboxArguments(root), { stdio: "ignore" });
    return readLog(readFileSync(join(root, "log/executions"), "utf8"), texts.length);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function sandboxArguments(root: string): readonly string[] {
  const bind = (source: string, target: string): readonly string[] => ["--ro-bind", source, target];
  const real = Object.entries(REAL).flatMap(([name, path]) => bind(path, `/opt/real/${name}`));
  const writable = ["log", "work", "home"].flatMap((folder) => ["--bind", join(root, folder), `/${folder}`]);
  const links = ["--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"];
  const system = [
    ...bind("/usr/lib", "/usr/lib"),
    "--ro-bind-try",
    "/usr/lib64",
    "/usr/lib64",
    ...bind(join(root, "bin"), "/usr/bin"),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
  ];
  const texts = [...bind(join(root, "texts"), "/texts"), ...bind(join(root, "driver"), "/driver")];
  return ["--unshare-all", "--clearenv", "--die-with-parent", ...system, ...links, ...real, ...writable, ...texts, "/opt/real/bash", "/driver"];
}

function readLog(log: string, count: number): readonly (readonly Execution[])[] {
  const executions: Execution[][] = Array.from({ length: count }, () => []);
  for (const line of log.split("\n")) {
    const [index, program, directory] = line.split("\t");
    if (index !== undefined && program !== undefined && directory !== undefined) executions[Number(index)]?.push({ program, directory });
  }
  return executions;
}
