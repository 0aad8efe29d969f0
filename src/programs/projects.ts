/** A file that a program looks for. */
type ProjectFile = {
  /** With a star at its end, of the only file of its kind: whatever begins so, in the directory where the program starts. */
  readonly name: string;
  /** What its text must hold to name code or to change what is written; null: any text may. */
  readonly steers: RegExp | null;
};

function named(...names: readonly string[]): readonly ProjectFile[] {
  return names.map((name) => ({ name, steers: null }));
}

/** What corepack reads before it starts a package manager: the registry that it comes from, and whether it is checked. */
const COREPACK = named(".corepack.env");

/** In `package.json`: another package manager, another runtime, or pnpm's own settings. */
const PACKAGE: ProjectFile = { name: "package.json", steers: /"(?:packageManager|devEngines|pnpm)"/ };

// A key of TOML, bare or quoted; `fixable` and `unfixable` are others.
const RUFF_KEYS = /(?<![\w-])(?:fix|fix-only|extend|cache-dir)["']?\s*=/;

// A registry or a proxy of the project's, or another file that may name one.
const NPM_SERVERS = /registry(?:\[\])?["']?\s*=|proxy|config|(?<![\w-])prefix|^[^=\n]*\$/m;

const YAMLLINT_KEYS = /extends["']?\s*:(?!\s*["']?(?:default|relaxed)["']?\s*$)|ignore-from-file/m;

/**
 * Files of a project that make a program run code or write, where it otherwise does not, by the kind of project that a table
 * names (`!runs-code/rust`). Each is looked for where the program starts and in every directory above. A new kind needs the program's
 * manual: nothing else of a project may steer it, neither a folder nor another file's text.
 */
export const PROJECTS = {
  // log_path is written by every verb, and the servers of galaxy are asked.
  ansible: named("ansible.cfg"),
  // Plug-ins are loaded before a command is read; the other programs that it names are for making an app.
  cdk: [{ name: "cdk.json", steers: /plugin/ }],
  // rustup's book, "Overrides": a toolchain may be a path.
  rust: named("rust-toolchain", "rust-toolchain.toml"),
  // The Cargo book, "Configuration": aliases, wrappers, credential helpers, sources.
  cargo: named("rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml"),
  // Compose 1 asks the DOCKER_HOST of .env, older releases of Compose 2 hand all of it to the git and ssh that they start, and COMPOSE_FILE names any file.
  compose: [{ name: ".env", steers: /\b(?:DOCKER_(?:HOST|CON|CERT|TLS|CUSTOM|CLI)|COMPOSE_(?:FILE|ENV_FILES)|GIT_|SSH_|LD_|XDG_)|PROXY/i }],
  // `paths` of global.json may name a folder as the place of the SDK.
  dotnet: named("global.json"),
  // jvm.config starts agents, extensions.xml loads code.
  maven: named(".mvn"),
  // "Plugin discovery" of its documentation: packer-plugin-NAME, and older ones by their kind.
  packer: named("packer-*"),
  // `git` and `browser` of .npmrc are programs.
  npm: named(".npmrc"),
  // Where its log is kept, and which further files of settings there are; a key may be a variable's value.
  "npm-log": [{ name: ".npmrc", steers: /cache|logs-|config|(?<![\w-])prefix|^[^=\n]*\$/m }],
  "npm-registry": [{ name: ".npmrc", steers: NPM_SERVERS }],
  pnpm: [...named(".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml", "package.yaml", "package.json5"), ...COREPACK, PACKAGE],
  // yarn-path, yarnPath and plug-ins.
  yarn: [...named(".yarnrc", ".yarnrc.yml", ".npmrc"), ...COREPACK, PACKAGE],
  // Where a verb may be a script, or a program of a dependency.
  "yarn-script": [
    ...named(".yarnrc", ".yarnrc.yml", ".npmrc", ".pnp.cjs", ".pnp.js", "node_modules/.bin/audit", "node_modules/.bin/outdated"),
    ...COREPACK,
    { name: "package.json", steers: /"(?:packageManager|devEngines|pnpm|audit|outdated)"/ },
  ],
  // `backend` names where the state is kept, which is any server or a folder, and gets a file of its own there at the first look.
  pulumi: [
    ...named("Pulumi.json.gz", "Pulumi.yaml.gz", "Pulumi.yml.gz"),
    ...["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].map((name) => ({ name, steers: /backend/ })),
  ],
  ruff: ["ruff.toml", ".ruff.toml", "pyproject.toml"].map((name) => ({ name, steers: RUFF_KEYS })),
  // ExifTool's configuration, which is Perl; without a home it is looked for where the program starts.
  exiftool: named(".ExifTool_config"),
  // write-back in it makes tidy write what it reads.
  tidy: named(".tidyrc"),
  // Where no back end but the local one was set up; one that is only asked for in the configuration is refused until it is.
  terraform: named(".terraform/terraform.tfstate"),
  // Hooks of the project, and of the one that package.json extends.
  volta: [...named(".volta/hooks.json"), { name: "package.json", steers: /extends/ }],
  // What it extends is a file, whose lines an error shows.
  yamllint: [".yamllint", ".yamllint.yaml", ".yamllint.yml"].map((name) => ({ name, steers: YAMLLINT_KEYS })),
  // The interpreter is asked about itself, and loads what its site-packages say.
  uv: [...named(".venv", ".python-version", ".python-versions", "uv.toml"), { name: "pyproject.toml", steers: /uv/ }],
} as const satisfies Readonly<Record<string, readonly ProjectFile[]>>;

export type ProjectName = keyof typeof PROJECTS;

export const PROJECT_NAMES = Object.keys(PROJECTS) as readonly ProjectName[];

/** Whether a text of the file may name code. What is written with an escape may be any key. */
export function maySteer(steers: RegExp | null, text: string): boolean {
  return steers === null || /\\[uUx]/.test(text) || steers.test(text);
}
