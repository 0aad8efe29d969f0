import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { config, git, here, type Hostile } from "./hostile-repositories.ts";

type Harm = Hostile["harm"];

const set = (workspace: string, settings: Readonly<Record<string, string>>): void => {
  for (const [key, value] of Object.entries(settings)) git(workspace, "config", key, value);
};

/** Programs that are named in a roundabout way, and files of configuration that look like others. */
const FURTHER: readonly (readonly [name: string, shows: string, harm: Harm])[] = [
  [
    "an address that is put in the place of another",
    "git fetch",
    (workspace, evil) => set(workspace, { "protocol.ext.allow": "always", [`url.ext::${evil} .insteadOf`]: "https://" }),
  ],
  [
    "a remote by its helper",
    "git ls-remote",
    (workspace, evil) => set(workspace, { "protocol.ext.allow": "always", "remote.origin.vcs": "ext", "remote.origin.url": evil }),
  ],
  [
    "objects that another remote has, by ssh",
    "git show HEAD~1:a.txt",
    (workspace, evil) => {
      set(workspace, { "core.repositoryformatversion": "1", "extensions.partialClone": "far", "remote.far.promisor": "true" });
      set(workspace, { "remote.far.url": "ssh://127.0.0.1:1/r", "core.sshCommand": evil });
      const id = git(workspace, "rev-parse", "HEAD~1:a.txt").trim();
      rmSync(join(workspace, ".git/objects", id.slice(0, 2), id.slice(2)));
    },
  ],
  [
    "an include by a remote's address",
    "git status",
    (workspace, evil) => {
      writeFileSync(join(workspace, "included"), `[core]\nfsmonitor=${evil}\n`);
      set(workspace, { "includeIf.hasconfig:remote.*.url:https://**.path": join(workspace, "included") });
    },
  ],
  [
    "an include on a branch",
    "git status",
    (workspace, evil) => {
      writeFileSync(join(workspace, ".git/included"), `[core]\nfsmonitor=${evil}\n`);
      set(workspace, { "includeIf.onbranch:main.path": "included" });
    },
  ],
  [
    "a driver by a macro of attributes",
    "git diff",
    (workspace, evil) => {
      mkdirSync(join(workspace, ".git/info"), { recursive: true });
      writeFileSync(join(workspace, ".git/info/attributes"), "[attr]q diff=zz\na.txt q\n");
      set(workspace, { "diff.zz.textconv": evil });
    },
  ],
  [
    "a mark of byte order before its configuration",
    "git status",
    (workspace, evil) => {
      const path = join(workspace, ".git/config");
      const text = readFileSync(path, "utf8");
      writeFileSync(path, `\ufeff${text}[core]\nfsmonitor=${evil}\n`);
    },
  ],
  ["a harmless value before the other", "git status", (workspace, evil) => config(workspace, `[core]\nfsmonitor = false\n[core]\nfsmonitor = ${evil}\n`)],
  [
    "an include in capitals",
    "git diff",
    (workspace, evil) => {
      writeFileSync(join(workspace, "included"), `[diff]\nexternal=${evil}\n`);
      appendFileSync(join(workspace, ".git/config"), "[INCLUDE] PATH = ../included\n");
    },
  ],
];

export const HOSTILE_FURTHER: readonly Hostile[] = FURTHER.map(([name, shows, harm]) => ({ name, prepare: here, harm, shows }));
