import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { RegistryKind } from "./registry.ts";

/** No name server knows it; Go asks no proxy for an address of loopback. */
export const HOST = "packages.example.org";

/** Nothing of how the account that runs the tests is configured. */
export const CLEAN = Object.fromEntries(
  Object.keys(process.env).flatMap((name) => (/^(?:npm_config_|PIP_|GO[A-Z]+$|CARGO_|UV_|MAVEN_|APT_)/iu.test(name) ? [[name, undefined]] : [])),
) as Record<string, never>;

/** How a person's client is configured for a registry, and a project that installs from it and is tested. */
export type SealedInstall = {
  /** The client, as an absolute path where the image has none and the machine's own is used. */
  readonly client: string | null;
  /** What else of this machine it reads. */
  readonly reads?: readonly string[];
  /** Files of the person's home, by path. */
  readonly home: (url: string, home: string) => Readonly<Record<string, string>>;
  /** Variables of the person's. `home`: where the files are. */
  readonly variables?: (url: string, home: string) => Readonly<Record<string, string>>;
  readonly project: Readonly<Record<string, string>>;
  readonly install: string;
  /** Prints `hello` by what was installed. */
  readonly prove: string;
};

const foldersIn = (folder: string, names: RegExp): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).flatMap((name) => (names.test(name) ? [join(folder, name)] : [])) : [];

/** One that reads a sparse index (1.68 or later): rustup's, as Debian 12 has none. Where there is none, a name that is no file. */
const CARGO =
  [...foldersIn(join(homedir(), ".rustup/toolchains"), /^stable/u).map((path) => join(path, "bin/cargo")), "/usr/local/bin/cargo"].find((path) =>
    existsSync(path),
  ) ?? "/no/cargo";

/** One whose settings lie beside it: Debian's are links into /etc, of which bubblewrap shows none. */
const JAVA =
  foldersIn("/usr/lib/jvm", /^[a-z]/u).flatMap((path) =>
    existsSync(join(path, "conf/security")) && !realpathSync(join(path, "conf/security/java.security")).startsWith("/etc/") ? [join(path, "bin/java")] : [],
  )[0] ?? "/no/java";

/** The package `greeting` of `startRegistry`, installed as its clients do. */
export const SEALED_INSTALLS: Readonly<Record<RegistryKind, SealedInstall>> = {
  npm: {
    client: null,
    home: (url) => ({ ".npmrc": `registry=${url}/\n` }),
    project: {
      "package.json": JSON.stringify({ name: "app", version: "1.0.0", dependencies: { greeting: "1.0.0" }, scripts: { test: "node test.js" } }),
      "test.js": 'console.log(require("greeting"));\n',
    },
    install: "npm install && npm ci",
    prove: "npm test",
  },
  pypi: {
    client: "/usr/bin/pip3",
    home: (url) => ({ ".config/pip/pip.conf": `[global]\nindex-url = ${url}/simple\n` }),
    variables: (_url, home) => ({ PIP_CONFIG_FILE: `${home}/.config/pip/pip.conf` }),
    project: { "test.py": "import greeting\nprint(greeting.TEXT)\n" },
    install: "/usr/bin/pip3 install --target lib greeting",
    prove: "PYTHONPATH=lib /usr/bin/python3 test.py",
  },
  crates: {
    client: CARGO,
    reads: [dirname(dirname(CARGO))],
    home: (url) => ({ ".cargo/config.toml": `[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+${url}/"\n` }),
    variables: (_url, home) => ({ CARGO_HOME: `${home}/.cargo` }),
    project: {
      "Cargo.toml": '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\ngreeting = "1"\n',
      "src/main.rs": 'fn main() { println!("{}", greeting::TEXT); }\n',
    },
    install: `export RUSTC=${dirname(CARGO)}/rustc && ${CARGO} fetch`,
    prove: `${CARGO} run --quiet --offline`,
  },
  go: {
    client: "/usr/bin/go",
    home: () => ({}),
    variables: (url) => ({ GOPROXY: `${url},direct`, GOSUMDB: "off" }),
    project: {
      "go.mod": "module app\n\ngo 1.17\n\nrequire example.org/greeting v1.0.0\n",
      "main.go": 'package main\n\nimport "example.org/greeting"\n\nfunc main() { println(greeting.Text) }\n',
    },
    install: "/usr/bin/go mod tidy",
    prove: "/usr/bin/go run . 2>&1",
  },
  maven: {
    client: existsSync("/usr/share/maven/lib") ? JAVA : "/no/mvn",
    home: (url) => ({ ".m2/settings.xml": `<settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror></mirrors></settings>\n` }),
    project: {
      // The machine's own lies in /etc, which is none of the sandbox's.
      "m2.conf": "main is org.apache.maven.cli.MavenCli from plexus.core\n[plexus.core]\nload ${maven.home}/lib/*.jar\n",
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0.0</version><relativePath/></parent>
<artifactId>app</artifactId><packaging>pom</packaging>
<build><extensions><extension><groupId>org.example</groupId><artifactId>greeting</artifactId><version>1.0.0</version></extension></extensions></build>
</project>\n`,
    },
    install: `${JAVA} -cp /usr/share/java/plexus-classworlds.jar -Dclassworlds.conf=m2.conf -Dmaven.home=/usr/share/maven -Dmaven.multiModuleProjectDirectory=. org.codehaus.plexus.classworlds.launcher.Launcher --batch-mode validate`,
    prove: 'unzip -p "$HOME/.m2/repository/org/example/greeting/1.0.0/greeting-1.0.0.jar" greeting/text',
  },
  debian: {
    client: null,
    home: (url, home) => ({
      "sources.list": `deb [trusted=yes] ${url} stable main\n`,
      "apt.conf": `Dir::Etc::sourcelist "${home}/sources.list";\nDir::Etc::sourceparts "-";\n`,
    }),
    variables: (_url, home) => ({ APT_CONFIG: `${home}/apt.conf` }),
    project: {},
    install: "apt-get update && apt-get install --yes greeting",
    prove: 'cat "$HOME/.apt/root/usr/share/greeting/text"',
  },
};

/** As sealed as `unattended`, with the programs of this machine in place of an image's. */
export function withOwnPrograms(kind: RegistryKind, network: string): string {
  const reads = (SEALED_INSTALLS[kind].reads ?? []).map((path) => `, { path: ${path}, access: read }`);
  return `version: 1
name: sealed
extends: base
autonomy: full
workspace: { roots: [{ path: ".", access: read-write }${reads.join("")}] }
commands: { effects: { runs-code: allow, unknown: allow, undecidable: allow } }
sandbox: { runtime: bubblewrap, workspace: transactional, memory: 2g, processes: 512, command-timeout: 300s, network: ${network} }
`;
}
