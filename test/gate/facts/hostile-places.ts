import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { config, git, type Hostile, FAR, here, ordinary } from "./hostile-repositories.ts";

function hook(directory: string, name: string, evil: string): void {
  mkdirSync(directory, { recursive: true });
  cpSync(evil, join(directory, name));
  chmodSync(join(directory, name), 0o755);
}

/** So that the next `git status` writes the index: it does so only for a file whose time is another. */
function aged(workspace: string): void {
  for (const file of git(workspace, "ls-files").split("\n").filter(Boolean)) utimesSync(join(workspace, file), 1, 1);
}

function withSubmodule(workspace: string): void {
  const other = `${workspace}-other`;
  ordinary(other);
  ordinary(workspace);
  git(workspace, "submodule", "add", "-q", other, "sub");
  git(workspace, "commit", "-qm", "a submodule");
  // As in the other repositories, whose remote is no directory.
  git(workspace, "config", "submodule.sub.url", FAR);
  git(join(workspace, "sub"), "config", "remote.origin.url", FAR);
}

/** Repositories whose configuration, or whose hooks, lie at another place than `.git/config`. */
export const HOSTILE_PLACES: readonly Hostile[] = [
  {
    name: "include.path",
    prepare: here,
    harm: (workspace, evil) => {
      writeFileSync(join(workspace, "more"), `[core]\nfsmonitor = ${evil}\n`);
      config(workspace, "[include]\npath = ../more\n");
    },
    shows: "git status",
  },
  {
    name: "includeIf",
    prepare: here,
    harm: (workspace, evil) => {
      writeFileSync(join(workspace, "more"), `[core]\nfsmonitor = ${evil}\n`);
      config(workspace, '[includeIf "onbranch:main"]\npath = ../more\n');
    },
    shows: "git status",
  },
  {
    name: "the configuration of a worktree",
    prepare: (workspace) => {
      ordinary(workspace);
      git(workspace, "config", "extensions.worktreeConfig", "true");
    },
    harm: (workspace, evil) => writeFileSync(join(workspace, ".git/config.worktree"), `[core]\nfsmonitor = ${evil}\n`),
    shows: "git status",
  },
  {
    name: "a linked worktree, and the configuration of its repository",
    prepare: (workspace) => {
      ordinary(join(workspace, "first"));
      git(join(workspace, "first"), "worktree", "add", "-q", "../second");
    },
    harm: (workspace, evil) => void git(join(workspace, "first"), "config", "core.fsmonitor", evil),
    shows: "git status",
    at: "second",
  },
  {
    name: "a `.git` that is a file, and leads elsewhere",
    prepare: (workspace) => {
      ordinary(workspace);
      renameSync(join(workspace, ".git"), join(workspace, "elsewhere"));
      writeFileSync(join(workspace, ".git"), "gitdir: elsewhere\n");
    },
    harm: (workspace, evil) => appendFileSync(join(workspace, "elsewhere/config"), `[core]\nfsmonitor = ${evil}\n`),
    shows: "git status",
  },
  {
    name: "a `.git` that is a link",
    prepare: (workspace) => {
      ordinary(workspace);
      renameSync(join(workspace, ".git"), join(workspace, "elsewhere"));
      symlinkSync("elsewhere", join(workspace, ".git"));
    },
    harm: (workspace, evil) => appendFileSync(join(workspace, "elsewhere/config"), `[core]\nfsmonitor = ${evil}\n`),
    shows: "git status",
  },
  {
    name: "a configuration that is a link",
    prepare: (workspace) => {
      ordinary(workspace);
      renameSync(join(workspace, ".git/config"), join(workspace, "settings"));
      symlinkSync("../settings", join(workspace, ".git/config"));
    },
    harm: (workspace, evil) => appendFileSync(join(workspace, "settings"), `[core]\nfsmonitor = ${evil}\n`),
    shows: "git status",
  },
  {
    name: "a common directory elsewhere",
    prepare: here,
    harm: (workspace, evil) => {
      cpSync(join(workspace, ".git"), join(workspace, "common"), { recursive: true });
      appendFileSync(join(workspace, "common/config"), `[core]\nfsmonitor = ${evil}\n`);
      writeFileSync(join(workspace, ".git/commondir"), "../common\n");
    },
    shows: "git status",
  },
  {
    name: "a bare repository below",
    prepare: (workspace) => {
      ordinary(workspace);
      git(workspace, "clone", "-q", "--bare", ".", "bare");
      git(join(workspace, "bare"), "config", "remote.origin.url", FAR);
      writeFileSync(join(workspace, "bare/info/attributes"), "*.txt diff=x\n");
    },
    harm: (workspace, evil) => void git(join(workspace, "bare"), "config", "diff.x.textconv", evil),
    shows: "git log -p main",
    at: "bare",
  },
  {
    name: "a repository below",
    prepare: (workspace) => {
      ordinary(workspace);
      ordinary(join(workspace, "deep/er"));
    },
    harm: (workspace, evil) => void git(join(workspace, "deep/er"), "config", "core.fsmonitor", evil),
    shows: "git status",
    at: "deep/er",
  },
  {
    name: "the repository above, where `.git` is none",
    prepare: (workspace) => {
      ordinary(workspace);
      mkdirSync(join(workspace, "deep/.git"), { recursive: true });
      mkdirSync(join(workspace, "deep/.git/objects"));
      mkdirSync(join(workspace, "deep/.git/refs"));
      writeFileSync(join(workspace, "deep/.git/HEAD"), "main\n");
    },
    harm: (workspace, evil) => void git(workspace, "config", "core.fsmonitor", evil),
    shows: "git status",
    at: "deep",
  },
  {
    name: "a repository with other digests",
    prepare: (workspace) => ordinary(workspace, "--object-format=sha256"),
    harm: (workspace, evil) => void git(workspace, "config", "core.fsmonitor", evil),
    shows: "git status",
  },
  {
    name: "the hook of a changed index",
    prepare: here,
    harm: (workspace, evil) => {
      hook(join(workspace, ".git/hooks"), "post-index-change", evil);
      aged(workspace);
    },
    shows: "git status",
  },
  {
    name: "hooks in a directory of the project",
    prepare: (workspace) => {
      ordinary(workspace);
      git(workspace, "config", "core.hooksPath", ".hooks/_");
      mkdirSync(join(workspace, ".hooks/_"), { recursive: true });
      writeFileSync(join(workspace, ".hooks/_/pre-push"), "#!/bin/sh\n");
    },
    harm: (workspace, evil) => {
      hook(join(workspace, ".hooks/_"), "post-index-change", evil);
      aged(workspace);
    },
    shows: "git status",
  },
  {
    name: "the hook of moved refs",
    prepare: here,
    harm: (workspace, evil) => hook(join(workspace, ".git/hooks"), "reference-transaction", evil),
    shows: "git branch other",
  },
  {
    name: "the hook of a commit",
    prepare: here,
    harm: (workspace, evil) => hook(join(workspace, ".git/hooks"), "pre-commit", evil),
    shows: "git commit -am b",
  },
  {
    name: "a submodule",
    prepare: withSubmodule,
    harm: (workspace, evil) => void git(join(workspace, "sub"), "config", "core.fsmonitor", evil),
    shows: "git status",
  },
  {
    name: "a submodule in a submodule",
    prepare: (workspace) => {
      withSubmodule(`${workspace}-nested`);
      ordinary(workspace);
      git(workspace, "submodule", "add", "-q", `${workspace}-nested`, "sub");
      git(workspace, "submodule", "update", "-q", "--init", "--recursive");
      for (const sub of ["sub", "sub/sub"]) git(join(workspace, sub), "config", "remote.origin.url", FAR);
      for (const above of [".", "sub"]) git(join(workspace, above), "config", "submodule.sub.url", FAR);
    },
    harm: (workspace, evil) => void git(join(workspace, "sub/sub"), "config", "core.fsmonitor", evil),
    shows: "git status",
  },
  {
    name: "a submodule that nobody declared",
    prepare: (workspace) => {
      ordinary(workspace);
      ordinary(join(workspace, "lib/other"));
      git(workspace, "add", "lib/other");
    },
    harm: (workspace, evil) => void git(join(workspace, "lib/other"), "config", "core.fsmonitor", evil),
    shows: "git diff",
  },
  {
    name: "a submodule whose files are not there",
    prepare: (workspace) => {
      withSubmodule(workspace);
      rmSync(join(workspace, "sub"), { recursive: true });
      mkdirSync(join(workspace, "sub"));
    },
    harm: (workspace, evil) => appendFileSync(join(workspace, ".git/modules/sub/config"), `[core]\nsshCommand = ${evil}\n`),
    shows: null,
  },
  {
    name: "a part of the index elsewhere",
    prepare: () => undefined,
    harm: (workspace, evil) => {
      withSubmodule(workspace);
      git(workspace, "update-index", "--split-index");
      git(join(workspace, "sub"), "config", "core.fsmonitor", evil);
    },
    shows: "git status",
  },
  {
    name: "objects that are fetched when they are missed",
    prepare: here,
    harm: (workspace, evil) => {
      const blob = git(workspace, "rev-parse", "HEAD:a.txt").trim();
      rmSync(join(workspace, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
      for (const [key, value] of [
        ["url", "."],
        ["promisor", "true"],
        ["uploadpack", evil],
      ] as const)
        git(workspace, "config", `remote.origin.${key}`, value);
      config(workspace, "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n");
    },
    shows: "git show HEAD:a.txt",
  },
  {
    name: "a remote that is a directory",
    prepare: here,
    harm: (workspace, evil) => {
      ordinary(join(workspace, "origin"));
      git(join(workspace, "origin"), "config", "uploadpack.packObjectsHook", evil);
      config(workspace, '[remote "origin"]\nurl = ./origin\n');
    },
    shows: null,
  },
  {
    name: "a signature that is checked",
    prepare: here,
    harm: (workspace, evil) => {
      const commit = readFileSync(join(workspace, ".git/refs/heads/main"), "utf8").trim();
      const text = git(workspace, "cat-file", "commit", commit).replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n");
      writeFileSync(join(workspace, ".git/x"), text);
      git(workspace, "update-ref", "refs/heads/main", git(workspace, "hash-object", "-t", "commit", "-w", ".git/x").trim());
      config(workspace, `[log]\nshowSignature = true\n[gpg]\nprogram = ${evil}\n`);
    },
    shows: "git log",
  },
];
