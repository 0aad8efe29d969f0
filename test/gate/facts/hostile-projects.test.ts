import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand, type CheckParts } from "../../../src/gate/check.ts";
import { operatorCheck } from "./operator-check.ts";

/** Files that programs look for where they start. `EVIL` is a program that leaves a canary. */
const TRAPS: Readonly<Record<string, string>> = {
  ".npmrc": "node-options=--require=./evil.cjs\nscript-shell=EVIL\ngit=EVIL\nviewer=EVIL\nshell=EVIL\nonload-script=./evil.cjs\n",
  "evil.cjs": 'require("node:child_process").execFileSync("EVIL");\n',
  "package.json":
    '{"name":"a","packageManager":"yarn@file:evil.tgz","scripts":{"audit":"EVIL","list":"EVIL","why":"EVIL","version":"EVIL","ls":"EVIL"},"pnpm":{}}',
  ".pnpmfile.cjs": 'require("./evil.cjs");\n',
  ".yarnrc": 'yarn-path "./evil.cjs"\n',
  ".yarnrc.yml": "yarnPath: ./evil.cjs\n",
  ".pnp.cjs": 'require("./evil.cjs");\n',
  ".corepack.env": "COREPACK_NPM_REGISTRY=http://127.0.0.1:1\n",
  "node_modules/.bin/npm": "#!/bin/sh\nEVIL\n",
  "node_modules/npm/index.js": 'require("../../evil.cjs");\n',
  Makefile: "$(shell EVIL)\nall:\n\tEVIL\n",
  GNUmakefile: "$(shell EVIL)\nall:\n\tEVIL\n",
  "sitecustomize.py": 'import os; os.system("EVIL")\n',
  "usercustomize.py": 'import os; os.system("EVIL")\n',
  "json.py": 'import os; os.system("EVIL")\n',
  "pip.py": 'import os; os.system("EVIL")\n',
  "setup.py": 'import os; os.system("EVIL")\n',
  "conftest.py": 'import os; os.system("EVIL")\n',
  ".python-version": "../../../evil\n",
  ".tool-versions": "python path:EVIL\n",
  ".venv/bin/python": "#!/bin/sh\nEVIL\n",
  ".venv/pyvenv.cfg": "home = .\n",
  "strict.pm": 'system("EVIL"); 1;\n',
  "lib/strict.pm": 'system("EVIL"); 1;\n',
  ".perltidyrc": "-pro=EVIL\n",
  ".gdbinit": "shell EVIL\n",
  ".vimrc": ":silent !EVIL\n",
  ".exrc": ":silent !EVIL\n",
  ".nvimrc": ":silent !EVIL\n",
  ".bashrc": "EVIL\n",
  ".profile": "EVIL\n",
  ".bash_profile": "EVIL\n",
  ".envrc": "EVIL\n",
  ".env": "BASH_ENV=EVIL\nNODE_OPTIONS=--require=./evil.cjs\nDOCKER_HOST=ssh://x\n",
  ".screenrc": "exec EVIL\n",
  ".tmux.conf": "run-shell EVIL\n",
  ".curlrc": "output = canary\n",
  ".wgetrc": "output_document = canary\n",
  ".sqliterc": ".shell EVIL\n",
  ".psqlrc": "\\! EVIL\n",
  ".jq": 'def x: "EVIL";\n',
  ".lessfilter": "#!/bin/sh\nEVIL\n",
  ".ctags.d/a.ctags": "--output=canary\n",
  ".ripgreprc": "--pre=EVIL\n",
  ".ackrc": "--pager=EVIL\n",
  ".cargo/config.toml": '[build]\nrustc = "EVIL"\n[alias]\ntree = ["EVIL"]\n',
  "rust-toolchain.toml": '[toolchain]\npath = "toolchain"\n',
  "toolchain/bin/cargo": "#!/bin/sh\nEVIL\n",
  "toolchain/bin/rustc": "#!/bin/sh\nEVIL\n",
  ".mvn/jvm.config": "-XX:OnOutOfMemoryError=EVIL\n",
  ".mvn/extensions.xml": "<extensions><extension><groupId>a</groupId><artifactId>b</artifactId><version>1</version></extension></extensions>",
  "gradle.properties": "org.gradle.java.home=.\n",
  "build.gradle": '"EVIL".execute()\n',
  "init.gradle": '"EVIL".execute()\n',
  Gemfile: 'system("EVIL")\n',
  Rakefile: 'system("EVIL")\n',
  ".irbrc": 'system("EVIL")\n',
  "global.json": '{"sdk":{"version":"1.0.0","paths":["."]}}',
  "ansible.cfg": "[defaults]\nlibrary = .\ncallback_plugins = .\n",
  ".ExifTool_config": 'system("EVIL");\n',
  ".tidyrc": "write-back: yes\n",
  ".yamllint": "extends: /etc/hostname\n",
  "ruff.toml": "fix = true\n",
  "compose.yaml": "services: { a: { image: b } }\n",
  "packer-plugin-evil": "#!/bin/sh\nEVIL\n",
  "terraform.tf": 'data "external" "a" { program = ["EVIL"] }\n',
  "magic.mgc": "EVIL",
  ".magic": "0 string a EVIL\n",
  ls: "#!/bin/sh\nEVIL\n",
  cat: "#!/bin/sh\nEVIL\n",
  "a.txt": "foo\n",
  "b.txt": "bar\n",
  "a.json": '{"a":1}\n',
  "-exec": "",
  "--version": "",
};

/** What the tables call low, of programs that may be on a machine. */
const LOOKS: readonly string[] = `
  node --version
  npm -v
  npm ls
  npm prefix
  npm root
  npm config get registry
  npm pkg get name
  npm fund
  yarn -v
  yarn why a
  pnpm -v
  pnpm list
  python3 --version
  pip list
  pip3 list
  pyenv version
  pyenv versions
  perl -v
  ruby -v
  php -v
  java -version
  javac -version
  mvn -v
  gradle --version
  cargo --version
  rustc --version
  rustup show
  gcc --version
  cc --version
  make --version
  cmake --version
  clang --version
  gdb --version
  vim --version
  sqlite3 -version
  jq . a.json
  curl --version
  wget --version
  tar --version
  docker --version
  openssl version
  gpg --version
  ssh -V
  bash --version
  find . -name a.txt
  grep -rn foo a.txt
  sed -n 1p a.txt
  awk '{print $1}' a.txt
  sort a.txt
  diff a.txt b.txt
  file a.txt
  tree .
  ls -la
  cat a.txt
  head a.txt
  du -sh .
  stat a.txt
  wc -l a.txt
  xxd a.txt
  od a.txt
  strings a.txt
  objdump --version
  nm --version
  date
  uname -a
  nproc
  rg foo a.txt
  fd a
  less --version
  tmux -V
  screen --version
  ruff check a.txt
  uv --version
  exiftool a.txt
  yamllint a.txt
  ansible --version
  packer version
  terraform version
  dotnet --version
`
  .trim()
  .split(/\n +/);

type Project = { readonly parts: CheckParts; readonly workspace: string; readonly canary: string };

function project(traps: Readonly<Record<string, string>>): Project {
  let canary = "";
  const parts = operatorCheck((workspace) => {
    const evil = join(dirname(dirname(workspace)), "evil");
    canary = join(workspace, "canary");
    writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    for (const [name, text] of Object.entries(traps)) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), text.replaceAll("EVIL", evil), { mode: 0o755 });
    }
  });
  return { parts, workspace: parts.setting.workspace, canary };
}

async function allowedIn({ parts }: Project): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const look of LOOKS) if ((await checkCommand(parts, look)).decision === "allow") allowed.push(look);
  return allowed;
}

function isOnThisMachine(look: string): boolean {
  const program = look.split(" ", 1)[0] ?? "";
  return (process.env["PATH"] ?? "").split(":").some((folder) => isProgram(join(folder, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runsTheirs({ parts, workspace, canary }: Project, command: string): boolean {
  // What a person's own configuration says is theirs; here there is none.
  const env = { PATH: process.env["PATH"], HOME: parts.setting.home };
  spawnSync("/bin/sh", ["-c", command], { cwd: workspace, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  const ran = existsSync(canary);
  rmSync(canary, { force: true });
  return ran;
}

test("nothing of a hostile project runs on a look that nobody was asked about", async () => {
  const hostile = project(TRAPS);
  const allowed = (await allowedIn(hostile)).filter(isOnThisMachine);
  expect(new Set(allowed.map((look) => look.split(" ", 1)[0])).size).toBeGreaterThanOrEqual(20);
  expect(allowed.filter((look) => runsTheirs(hostile, look))).toEqual([]);
  expect(runsTheirs(hostile, "node --require ./evil.cjs --eval 0")).toBe(true);
});

test("what such files steer is asked about, and nothing without them", async () => {
  const hostile = new Set(await allowedIn(project(TRAPS)));
  expect(LOOKS.filter((look) => !hostile.has(look))).toEqual(
    expect.arrayContaining([
      "yarn -v",
      "yarn why a",
      "pnpm -v",
      "pnpm list",
      "mvn -v",
      "cargo --version",
      "rustc --version",
      "rustup show",
      "ruff check a.txt",
    ]),
  );
  const plain = await allowedIn(project({ "a.txt": "foo\n", "b.txt": "bar\n", "a.json": "{}\n" }));
  expect(LOOKS.filter((look) => !plain.includes(look))).toEqual([]);
});
