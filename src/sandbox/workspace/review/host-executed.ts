import { compilePatterns, type PathPatterns } from "../scan/path-patterns.ts";

/** A kind of file that programs of the host obey or execute later, without anybody who reads it first. */
type HostExecuted = {
  readonly kind: string;
  /** Patterns, as in a policy, for below any directory of the workspace; in lower case, as some file systems tell no difference. */
  readonly paths: string;
  readonly because: string;
};

/** githooks(5). */
const GIT_HOOKS = `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
  post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc
  post-rewrite sendemail-validate fsmonitor-watchman post-index-change`.split(/\s+/);

/** Whether the last name of a path is that of one of git's hooks. */
export function isGitHook(path: string): boolean {
  return GIT_HOOKS.includes(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}

/**
 * What is flagged in a review, the narrower first. Sources: the manuals of the programs that each line names. A file that is not in the
 * list is not harmless: it is what a person expects when code changes.
 */
const HOST_EXECUTED: readonly HostExecuted[] = [
  {
    kind: "git-hook",
    paths: `.husky/** .githooks/** .git-hooks/** lefthook*.y*ml .lefthook*.y*ml lefthook*.toml lefthook*.json .pre-commit-config.y*ml
      .pre-commit-hooks.y*ml .overcommit.y*ml .simple-git-hooks.* simple-git-hooks.* .huskyrc* .lintstagedrc* lint-staged.config.*
      ${GIT_HOOKS.map((name) => `*hooks/${name}`).join(" ")}`,
    because: "git runs it on commit, merge or push, once hooks are installed.",
  },
  { kind: "submodule", paths: `.gitmodules`, because: "It names repositories that git clones and checks out." },
  {
    kind: "git-configuration",
    paths: `.gitconfig .config/git/** .lfsconfig .hg/hgrc`,
    because: "It configures git or Mercurial: aliases, filters, hooks and pagers are programs.",
  },
  {
    kind: "ci-workflow",
    paths: `.github/workflows/** .github/actions/** action.y*ml .gitlab-ci*.y*ml .gitlab/ci/** .circleci/** .buildkite/** .travis.yml
      .drone.y*ml .drone.jsonnet .drone.star .woodpecker.y*ml .woodpecker/** .forgejo/workflows/** .gitea/workflows/**
      .cirrus.yml .cirrus.star azure-pipelines*.y*ml .azure-pipelines/** .azuredevops/** bitbucket-pipelines.y*ml
      buildspec*.y*ml cloudbuild*.y*ml appveyor.y*ml .appveyor.y*ml codemagic.yaml bitrise.yml .semaphore/** .teamcity/**
      .tekton/** .dagger/** jenkinsfile* *.jenkinsfile wercker.yml .scrutinizer.yml .builds/** .build.yml .sr.ht/**
      renovate.json* .renovaterc* .github/dependabot.y*ml .mergify.yml dangerfile*
      netlify.toml vercel.json amplify.y*ml appspec.y*ml .ebextensions/** .platform/hooks/**
      .taskcluster.yml .zuul.* zuul.d/** .readthedocs.y*ml .replit .goreleaser.y*ml`,
    because: "A CI system runs it after a push, often with secrets of its own.",
  },
  { kind: "code-owners", paths: `codeowners`, because: "It says whose review a change needs." },
  {
    kind: "shell-startup",
    paths: `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
      .cshrc .tcshrc .login .inputrc .config/fish/** .xinitrc .xprofile .xsession .config/autostart/** .config/systemd/**
      .config/environment.d/** .tmux.conf .screenrc .irbrc .pryrc .pdbrc .ghci .iex.exs .rprofile .renviron .psqlrc .sqliterc
      .my.cnf .curlrc .wgetrc
      .ocamlinit .simplecov *.rproj renv/activate.r`,
    because: "A shell, a login or an interpreter reads it.",
  },
  {
    kind: "directory-environment",
    paths: `.envrc .direnvrc .mise.toml mise.toml .mise/** .rtx.toml .tool-versions .nvmrc .autoenv* devbox.json shell.nix
      default.nix flake.nix
      mise.*.toml .mise.*.toml mise/config*.toml .config/mise/** .config/mise.toml mise-tasks/** .mise-tasks/** devenv.nix .envrc.*`,
    because: "direnv, mise, nix or the like act on it when somebody enters the directory.",
  },
  { kind: "environment-file", paths: `.env .env.* .flaskenv`, because: "Programs take variables from it: PATH and NODE_OPTIONS decide what runs." },
  {
    kind: "editor-settings",
    paths: `.vscode/** *.code-workspace .idea/** *.iml .fleet/** .zed/** .vs/** .nova/** .settings/** .vimrc .exrc .gvimrc .nvimrc
      .nvim.lua .vim/** .config/nvim/** .dir-locals*.el .emacs .emacs.d/** .projectile .sublime-project *.sublime-project
      .helix/** .gdbinit .lldbinit _vimrc _gvimrc .ycm_extra_conf.py .theia/** .run/** .project nbproject/** launch.vs.json
      tasks.vs.json
      .bsp/*.json buildserver.json hie.yaml .lvimrc .local.vimrc .lazy.lua .vimspector.json .trunk/**`,
    because: "An editor or debugger obeys it: its tasks, interpreters and extensions are programs.",
  },
  {
    kind: "agent-settings",
    paths: `.cursor/** .cursorrules .claude/** claude.md claude.local.md agents.md agent.md warp.md agents.override.md gemini.md .gemini/** .codex/**
      .aider* .continue/** .windsurf/** .windsurfrules .clinerules*/** .clinerules .roo/** .roomodes .kiro/** .junie/**
      .amazonq/** .opencode/** opencode.json* .goosehints .goose/** .github/copilot-instructions.md .github/instructions/**
      .github/prompts/** .github/agents/** .mcp.json mcp.json mcp.y*ml mcp_config.json
      .github/hooks/** .github/skills/** .github/chatmodes/** .agents/** skill.md .claude-plugin/** .factory/** .openhands/setup.sh qwen.md .qwen/** .augment/** .trae/** .kilocode/**`,
    because: "A coding agent takes it for instructions, or starts the programs that it names.",
  },
  {
    kind: "development-container",
    paths: `.devcontainer/** .devcontainer.json dockerfile* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml
      vagrantfile .gitpod.y*ml .gitpod.dockerfile .devfile.yaml devfile.yaml procfile* tiltfile skaffold.yaml
      docker-bake.hcl docker-bake.*.hcl brewfile`,
    because: "It makes a container or machine, and says what of the host it may use.",
  },
  {
    kind: "package-configuration",
    paths: `.npmrc .yarnrc* .yarn/** .pnpmfile.* pnpm-workspace.yaml bunfig.toml pip.conf .pypirc .condarc .gemrc .bundle/**
      .cargo/** nuget.config .mvn/** gradle/wrapper/** gradlew* mvnw* sitecustomize.py usercustomize.py *.pth
      .pnp.cjs .pnp.loader.mjs *.pyc node_modules/.bin/* .venv/bin/activate* venv/bin/activate* .user.ini .htaccess`,
    because: "It says where packages come from, and what runs when they are installed or loaded.",
  },
  {
    kind: "build-file",
    paths: `makefile* gnumakefile *.mk cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json meson.build build.ninja
      configure configure.ac justfile .justfile *.just taskfile*.y*ml rakefile* *.rake gemfile *.gemspec setup.py setup.cfg
      pyproject.toml conftest.py noxfile.py tox.ini tasks.py fabfile.py dodo.py sconstruct sconscript wscript cargo.toml
      build.rs build.zig build.gradle* settings.gradle* init.gradle* gradle.properties buildsrc/** pom.xml build.xml build.sbt
      project/*.sbt *.csproj *.fsproj *.vbproj *.vcxproj *.props *.targets *.sln build.bazel workspace.bazel module.bazel *.bzl
      .bazelrc buck earthfile magefile.go mix.exs rebar.config dune-project package.swift podfile fastfile gulpfile.*
      gruntfile.* webpack.config.* rollup.config.* vite.config.* vitest.config.* vitest.workspace.* jest.config.*
      babel.config.* .babelrc* eslint.config.* .eslintrc* prettier.config.* .prettierrc* postcss.config.* tailwind.config.*
      next.config.* nuxt.config.* svelte.config.* astro.config.* playwright.config.* cypress.config.* .mocharc* karma.conf.*
      tsup.config.* turbo.json nx.json lerna.json phpunit.xml* ansible.cfg *.config.js *.config.?js *.config.ts *.config.?ts
      *.conf.js *.conf.?js *.conf.ts .*rc.js .*rc.?js .*rc.ts .*rc.?ts .eleventy.js ember-cli-build.js gatsby-*.js knexfile.*
      plopfile.* .swcrc .nycrc* rush.json .config/dotnet-tools.json global.json go.work rust-toolchain rust-toolchain.toml
      pytest.ini mypy.ini .pylintrc pylintrc .flake8 mkdocs.y*ml .rspec .yardopts .rubocop.y*ml guardfile capfile jakefile*
      cpanfile .php-cs-fixer*.php phpstan.neon* .luacheckrc .busted setup.hs stack.yaml project.clj .credo.exs .formatter.exs
      *.pbxproj helmfile.y*ml
      .pylintrc.toml .mypy.ini .coveragerc hatch_build.py pdm_build.py docs/conf.py .stylelintrc* .postcssrc* .releaserc* .commitlintrc* nodemon.json
      tools/bazel .jvmopts .sbtopts project/*.scala deps.edn bb.edn shadow-cljs.edn build.pl .golangci.y*ml thorfile *.tt build.cake
      *.podspec *.tf terragrunt.hcl`,
    because: "A build, test or lint command runs what it says.",
  },
];

type Compiled = { readonly kind: string; readonly because: string; readonly patterns: PathPatterns };

const COMPILED: readonly Compiled[] = HOST_EXECUTED.map(({ kind, because, paths }) => ({
  kind,
  because,
  patterns: compilePatterns(paths.split(/\s+/).map((path) => `/**/${path}`)),
}));

/** Bazel's files of old. In lower case, or with something below, these are directories of many projects. */
const BAZEL = /(?:^|\/)(?:BUILD|WORKSPACE)$/u;

/** Which kind of file of the host's programs a relative path names, or null. */
export function hostExecuted(path: string): { readonly kind: string; readonly because: string } | null {
  if (BAZEL.test(path)) return hostExecuted(`${path}.bazel`);
  const place = `/${path.toLowerCase()}`;
  return COMPILED.find(({ patterns }) => patterns.covers(place)) ?? null;
}
