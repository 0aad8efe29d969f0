import type { RegistryName } from "../../policy/network.ts";

/** How a kind of project is recognised, tested, and given its dependencies inside. Data: a kind is a row. */
export type ProjectKind = {
  readonly name: string;
  /** The registry that its packages come from; absent: none. */
  readonly packages?: RegistryName;
  /** It is one if any of these is there, and none of `unless`. */
  readonly markers: readonly string[];
  readonly unless?: readonly string[];
  readonly lockFiles: readonly string[];
  /** What runs its tests: the first row that holds. `isIncluded`: it needs nothing but Warder's image, where the project has no dependencies. */
  readonly tests: readonly { readonly command: string; readonly when?: Found; readonly isIncluded?: true }[];
  /** Folders that package clients fill: made on the host, what is compiled in them often does not run inside. */
  readonly filled: readonly string[];
  readonly image: ImageNeed;
};

/** One of these files, and what has to stand in it. The last part of a name may be a pattern of one `*`. */
export type Found = { readonly files: readonly string[]; readonly has: RegExp };

/**
 * What the sandbox lacks for it. `nothing`: the programs of Warder's image suffice. `install`: a command over the workspace, which reaches the
 * registry as this account's client (`registry`) is configured. `dockerfile`: lines behind FROM, with these files of the project beside it.
 */
export type ImageNeed =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "install";
      readonly when: Found;
      readonly command: string;
      /** In its place where there is no lock file. */
      readonly withoutLock: string;
      readonly keep: readonly string[];
      readonly registry: "npm";
    }
  | {
      readonly kind: "dockerfile";
      readonly lines: readonly string[];
      readonly files: readonly string[];
      /** What says that the project has dependencies. Without any of it, tests that are included need no image. */
      readonly dependencies?: readonly Found[];
      /** What the image has not, which the tests may need, and what to do. */
      readonly lacks?: string;
    };

const SCRIPT_TEST = { files: ["package.json"], has: /"scripts"\s*:\s*\{[^}]*"test"\s*:/u };
const HAS_DEPENDENCIES = { files: ["package.json"], has: /"(?:dev|optional|peer)?[dD]ependencies"\s*:\s*\{\s*"/u };
const NAMES_PYTEST = { files: ["pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "conftest.py"], has: /pytest/u };
const IMPORTS_UNITTEST = /^\s*(?:import|from)\s+unittest\b/mu;
const debian = (packages: string): string => `RUN apt-get update && apt-get install --yes --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`;

/** Where the image has pnpm, which the tests are started with; without links, because what is kept has none. */
const PNPM_PLACE = "/usr/local/lib/node_modules/pnpm";
const PNPM = [
  "npm install --no-audit --prefix .warder-client pnpm@10",
  `printf '%s\\n' '#!/bin/sh' 'exec node ${PNPM_PLACE}/bin/pnpm.cjs "$@"' > .warder-client/pnpm`,
  "chmod 755 .warder-client/pnpm",
  "node .warder-client/node_modules/pnpm/bin/pnpm.cjs install --frozen-lockfile --node-linker=hoisted --store-dir=/tmp/store",
].join(" && ");

export const PROJECT_KINDS: readonly ProjectKind[] = [
  {
    name: "npm",
    packages: "npm",
    markers: ["package.json"],
    unless: ["pnpm-lock.yaml", "yarn.lock"],
    lockFiles: ["package-lock.json"],
    tests: [{ command: "npm test", when: SCRIPT_TEST }],
    filled: ["node_modules"],
    image: {
      kind: "install",
      when: HAS_DEPENDENCIES,
      command: "npm ci",
      withoutLock: "npm install",
      keep: ["node_modules:/node_modules"],
      registry: "npm",
    },
  },
  {
    name: "pnpm",
    packages: "npm",
    markers: ["pnpm-lock.yaml"],
    lockFiles: ["pnpm-lock.yaml"],
    tests: [{ command: "pnpm test", when: SCRIPT_TEST }],
    filled: ["node_modules"],
    image: {
      kind: "install",
      when: { files: ["package.json"], has: /\{/u },
      command: PNPM,
      withoutLock: PNPM,
      keep: ["node_modules:/node_modules", ".warder-client/pnpm:/usr/local/bin/pnpm", `.warder-client/node_modules/pnpm:${PNPM_PLACE}`],
      registry: "npm",
    },
  },
  {
    name: "yarn",
    packages: "npm",
    markers: ["yarn.lock"],
    lockFiles: ["yarn.lock"],
    tests: [{ command: "yarn test", when: SCRIPT_TEST }],
    filled: ["node_modules"],
    image: { kind: "dockerfile", lines: ["RUN npm install --global yarn"], files: [], lacks: "the dependencies: add what installs them to the Dockerfile" },
  },
  {
    name: "python",
    packages: "pypi",
    markers: ["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"],
    lockFiles: ["requirements.txt", "poetry.lock", "uv.lock", "Pipfile.lock"],
    tests: [
      { command: "python3 -m pytest", when: NAMES_PYTEST },
      ...["tests", "test"].map((folder) => ({
        command: `python3 -m unittest discover -s ${folder}`,
        when: { files: [`${folder}/test*.py`], has: IMPORTS_UNITTEST },
        isIncluded: true as const,
      })),
      { command: "python3 -m unittest", when: { files: ["test*.py"], has: IMPORTS_UNITTEST }, isIncluded: true },
      { command: "python3 -m pytest" },
    ],
    filled: [".venv", "venv"],
    image: {
      kind: "dockerfile",
      lines: [debian("python3-pip python3-pytest"), "RUN test ! -f requirements.txt || pip install --break-system-packages --no-cache-dir -r requirements.txt"],
      files: ["requirements.txt"],
      dependencies: [
        { files: ["requirements.txt", "Pipfile"], has: /^\s*[^\s#[]/mu },
        { files: ["pyproject.toml"], has: /\bdependencies["']?\s*=\s*\[\s*["']|^\[tool\.poetry\.(?:group\.[^\]]*)?dependencies\]/mu },
        { files: ["setup.py", "setup.cfg"], has: /\binstall_requires\b/u },
      ],
    },
  },
  {
    name: "go",
    packages: "go",
    markers: ["go.mod"],
    lockFiles: ["go.sum"],
    tests: [{ command: "go test ./..." }],
    filled: [],
    image: {
      kind: "dockerfile",
      lines: [debian("golang-go"), "ENV GOMODCACHE=/opt/go-modules", "RUN test ! -f go.sum || go mod download"],
      files: ["go.mod", "go.sum"],
    },
  },
  {
    name: "cargo",
    packages: "crates",
    markers: ["Cargo.toml"],
    lockFiles: ["Cargo.lock"],
    tests: [{ command: "cargo test --offline" }],
    filled: ["target"],
    image: { kind: "dockerfile", lines: [debian("cargo")], files: [], lacks: "the crates: vendor them in the project (cargo vendor)" },
  },
  {
    name: "make",
    markers: ["Makefile", "makefile", "GNUmakefile"],
    lockFiles: [],
    tests: ["Makefile", "makefile", "GNUmakefile"].flatMap((file) => [
      { command: "make test", when: { files: [file], has: /^test\s*:/mu } },
      { command: "make check", when: { files: [file], has: /^check\s*:/mu } },
    ]),
    filled: [],
    image: { kind: "nothing" },
  },
];

/** Where continuous integration is configured. */
export const CI_FILES: readonly string[] = [".github/workflows", ".gitlab-ci.yml", ".circleci", "Jenkinsfile", "azure-pipelines.yml", ".ci"];
