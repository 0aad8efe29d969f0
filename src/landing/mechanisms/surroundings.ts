import type { Mechanism } from "./notation.ts";

/** What shells, editors and agents read where they are started. */
export const SURROUNDINGS: readonly Mechanism[] = [
  {
    kind: "agent-settings",
    because: "A coding agent takes it for instructions, or starts the programs that it names.",
    rows: `
      AGENTS.md | https://agents.md/ | agents.md agents.*.md agent.md .agent/** .agents/** .agent.md
      Claude Code | https://docs.claude.com/en/docs/claude-code/settings | .claude/** claude.md claude.*.md .claude.json .claude-plugin/** skill.md
      Cursor | https://cursor.com/docs/context/rules | .cursor/** .cursorrules .cursorignore .cursorindexingignore
      Model Context Protocol | https://modelcontextprotocol.io/docs/develop/connect-local-servers | .mcp.json mcp.json mcp.y*ml mcp_config.json .mcp/** mcp-*.json *.mcp.json .mcpb/**
      GitHub Copilot | https://docs.github.com/en/copilot/how-tos/configure-custom-instructions | .github/copilot-instructions.md .github/instructions/** .github/prompts/** .github/agents/** .github/hooks/**
        .github/skills/** .github/chatmodes/** .copilot/** *.instructions.md *.prompt.md *.chatmode.md copilot-setup-steps.y*ml
      Codex | https://developers.openai.com/codex/config-reference | .codex/**
      Gemini CLI | https://geminicli.com/docs/reference/configuration/ | gemini.md .gemini/** .geminiignore
      Aider | https://aider.chat/docs/config/aider_conf.html | .aider* conventions.md
      Continue | https://docs.continue.dev/reference | .continue/** .continuerc.json .continuerules
      Windsurf, Devin | https://docs.windsurf.com/windsurf/cascade/memories | .windsurf/** .windsurfrules .devin/** .codeium/**
      Cline, Roo, Kilo | https://docs.cline.bot/customization/cline-rules | .clinerules*/** .clinerules* .clineignore .roo/** .roomodes .roorules* .kilocode/** .kilocodemodes
      Kiro, Amazon Q | https://kiro.dev/docs/steering/ | .kiro/** .amazonq/**
      JetBrains Junie | https://www.jetbrains.com/help/junie/customize-guidelines.html | .junie/** .aiassistant/** .aiignore
      opencode, Crush, Amp, Factory, Goose | https://opencode.ai/docs/config/ | .opencode/** opencode.json* crush.json .crush.json .crush/** crush.md .amp/** .factory/** .goosehints .goose/** .goose
      OpenHands, Qwen, Augment, Trae, Warp | https://docs.openhands.dev/openhands/usage/customization/repository | .openhands/** .openhands_instructions qwen.md .qwen/** .augment/** .augment-guidelines .trae/** warp.md .warp/**
      Zed, Firebase Studio, Replit, Bolt, v0 | https://zed.dev/docs/ai/rules | .rules .idx/** airules.md replit.md .bolt/** .v0/** .lovable/**
      llms.txt | https://llmstxt.org/ | llms.txt llms-full.txt
      Ruler, rulesync, Spec Kit, BMAD | https://github.com/intellectronica/ruler#readme | .ruler/** .rulesync/** rulesync.json* .specify/** .bmad*/** .serena/** .taskmaster/** .ai/** .prompts/** .skills/** .superpowers/**
      Warder | this project's docs/policy-language.md | .warder/** warder.y*ml *.policy.y*ml
    `,
  },
  {
    kind: "shell-startup",
    because: "A shell, a login or an interpreter reads it.",
    rows: `
      bash | bash(1), INVOCATION | .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .inputrc
      zsh, ksh, csh, fish, nushell | zsh(1), STARTUP/SHUTDOWN FILES | .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .config/fish/** .config/nushell/** .xonshrc .elvish/**
      PowerShell | about_Profiles | profile.ps1 *_profile.ps1
      desktop sessions | https://specifications.freedesktop.org/autostart-spec/latest/ | .xinitrc .xprofile .xsession .xsessionrc .config/autostart/** .config/systemd/** .config/environment.d/** .pam_environment .local/**
      tmux, screen | tmux(1) | .tmux.conf .screenrc .tmuxinator/** .tmuxinator.yml .tmuxp.y*ml
      Ruby, Python, R, Julia, Elixir, Haskell, OCaml, Scala, Node | R: ?Startup; ghci: .ghci files | .irbrc .pryrc .pdbrc .pythonrc* .pythonstartup .ghci .iex.exs .rprofile .renviron *.rproj renv/activate.r .ocamlinit .utoprc
        .simplecov .byebugrc .rdbgrc startup.jl .julia/** .node_repl_history .ammonite/** predef.sc user.clj
      psql, sqlite, mysql, curl, wget | psql(1), sqlite3(1), curl(1) | .psqlrc .sqliterc .my.cnf .pgpass .pg_service.conf .curlrc .wgetrc .netrc .duckdbrc .mongorc.js .mongoshrc.js .redisclirc
      ssh, gpg, mail, cron | ssh_config(5), crontab(5) | .ssh/** .gnupg/** .forward .procmailrc .mailrc crontab .crontab *.crontab
      readline, less, ls | less(1) | .lesskey .lessfilter .dircolors .editrc .hushlogin .plan
    `,
  },
  {
    kind: "directory-environment",
    because: "direnv, mise, nix or the like act on it when somebody enters the directory.",
    rows: `
      direnv | direnv(1) | .envrc .envrc.* .direnvrc .direnv/**
      mise, asdf, rtx | https://mise.jdx.dev/configuration.html | .mise.toml mise.toml .mise/** .rtx.toml .tool-versions mise.*.toml .mise.*.toml mise/** .config/mise/** .config/mise.toml mise-tasks/** .mise-tasks/** .asdfrc
      version managers | https://github.com/nvm-sh/nvm#nvmrc | .nvmrc .node-version .python-version .ruby-version .java-version .go-version .php-version .sdkmanrc .rvmrc .ruby-gemset .swift-version .terraform-version .jvmrc .jabbarc .perl-version
      autoenv, smartcd, ondir | https://github.com/hyperupcall/autoenv#readme | .autoenv* .smartcd/** .ondirrc .in .out .dirrc .zsh_dir* .localrc
      nix, devbox, devenv, flox, guix | https://nix.dev/manual/nix/stable/command-ref/nix-shell | *.nix devbox.json .devbox/** .devenv/** devenv.y*ml .flox/** guix.scm channels.scm
      pixi, hermit, proto, aqua, volta, pkgx | https://moonrepo.dev/docs/proto/config | .prototools aqua.y*ml .hermit/** bin/activate-hermit .pkgx.y*ml pkgx.y*ml pixi.toml .moon/** moon.yml .hvm .bvmrc .tea/**
    `,
  },
  {
    kind: "environment-file",
    because: "Programs take variables from it: PATH and NODE_OPTIONS decide what runs.",
    rows: `
      dotenv, Compose, Flask | https://docs.docker.com/compose/how-tos/environment-variables/ | .env .env.* *.env .flaskenv .env-* .dev.vars* .secret.* .runtimeconfig.json
    `,
  },
  {
    kind: "editor-settings",
    because: "An editor or debugger obeys it: its tasks, interpreters and extensions are programs.",
    rows: `
      Visual Studio Code | https://code.visualstudio.com/docs/configure/settings | .vscode/** *.code-workspace .theia/** *.code-snippets .vscode-test.*
      JetBrains | https://www.jetbrains.com/help/idea/creating-and-managing-projects.html | .idea/** *.iml *.ipr *.iws .run/** .fleet/** *.run.xml
      Vim, Neovim | :help exrc | .vimrc .exrc .gvimrc .nvimrc .nvim.lua .vim/** .config/nvim/** _vimrc _gvimrc _exrc .lvimrc .local.vimrc .lazy.lua .vimspector.json .ycm_extra_conf.py .nvim/** .ctags .ctags.d/** tags .projections.json
      Emacs | Emacs manual, Per-Directory Local Variables | .dir-locals*.el .emacs .emacs.d/** .projectile .dumbjump .eglot*
      Visual Studio | https://learn.microsoft.com/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio | .vs/** launch.vs.json tasks.vs.json cppproperties.json launchsettings.json *.natvis
      Eclipse, NetBeans, Nova, Sublime, Zed, Helix, Kate | https://docs.helix-editor.com/configuration.html | .settings/** .project .classpath .factorypath nbproject/** .nova/** *.sublime-project .sublime-project *.sublime-build
        .zed/** .helix/** .kateproject .kateconfig .lite/** .brackets.json .atom/** .geany *.geany
      gdb, lldb, rr | gdb manual, Auto-loading | .gdbinit .lldbinit *-gdb.* .gdb_index .lldb/** .debug_gdb_scripts
      language servers | https://clangd.llvm.org/config | .bsp/** buildserver.json hie.yaml .clangd compile_commands.json compile_flags.txt .ccls pyrightconfig.json .luarc.json .luarc.jsonc .solargraph.yml jsconfig.json .ruby-lsp/** .lsp/** .clj-kondo/** .merlin .ocamlformat
      Trunk, EditorConfig, ctags, JupyterLab | https://docs.trunk.io/ | .trunk/** .editorconfig .jupyter/** jupyter_*_config.* ipython_config.py .ipython/** .binder/** binder/**
    `,
  },
];
