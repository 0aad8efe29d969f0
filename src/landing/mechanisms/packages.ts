import type { Mechanism } from "./notation.ts";

/** What package managers and loaders obey, and what is other people's code. */
export const PACKAGES: readonly Mechanism[] = [
  {
    kind: "package-configuration",
    because: "It says where packages come from, and what runs when they are installed or loaded.",
    rows: `
      npm, Yarn, pnpm, Bun, Deno | https://docs.npmjs.com/cli/configuring-npm/npmrc | .npmrc npmrc .yarnrc* .yarn/** .pnpmfile.* pnpmfile.* pnpm-workspace.yaml bunfig.toml .bunfig.toml .pnp.* node_modules/.bin/** .ncurc* .bowerrc binding.gyp .node-gyp/** import_map.json importmap.json
      pip, uv, conda, Poetry, PDM | https://pip.pypa.io/en/stable/topics/configuration/ | pip.conf pip.ini .pypirc .condarc condarc environment.y*ml poetry.toml uv.toml .pdm.toml pdm.toml pipfile requirements*.txt requirements/** constraints*.txt requirements*.in
      Python start | https://docs.python.org/3/library/site.html | sitecustomize.py usercustomize.py *.pth *.egg-link *.pyc *.pyo pyvenv.cfg __pypackages__/** *._pth pythoncom*.pth
      virtual environments | https://docs.python.org/3/library/venv.html | .venv/bin/activate* venv/bin/activate*
      RubyGems, Bundler | https://bundler.io/man/bundle-config.1.html | .gemrc gemrc .bundle/** gems.rb gems.locked rubygems_plugin.rb
      Cargo | https://doc.rust-lang.org/cargo/reference/config.html | .cargo/**
      NuGet | https://learn.microsoft.com/nuget/reference/nuget-config-file | nuget.config .nuget/** packages.config paket.dependencies paket.references *.nuspec
      Maven, Gradle wrappers | https://docs.gradle.org/current/userguide/gradle_wrapper.html | .mvn/** gradle/** gradlew* mvnw* .gradle/** sbtw mill millw
      Go | https://go.dev/ref/mod | go.env go.mod go.work vendor/modules.txt
      Composer, PHP, Apache | https://www.php.net/manual/configuration.file.per-user.php | .user.ini php.ini .htaccess auth.json .htpasswd
      Elixir, Erlang, Haskell, OCaml, Perl, Lua, Julia, R | https://cabal.readthedocs.io/ | .hex/** cabal.project* cabal.config .opam/** opam .cpanm* .luarocks/** localpreferences.toml project.toml manifest.toml NAMESPACE DESCRIPTION
      CocoaPods, Carthage, SwiftPM, Pub | https://guides.cocoapods.org/syntax/podfile.html | cartfile* mintfile .swiftpm/** pubspec*.y*ml .packages .dart_tool/** .flutter-plugins* .fvm/** .fvmrc
      Homebrew, apt, asdf, Scoop, Spack | https://docs.brew.sh/Brew-Bundle-and-Brewfile | brewfile* aptfile apt.conf sources.list scoop*.json spack.y*ml conandata.yml conanfile.* vcpkg.json vcpkg-configuration.json .conan/**
      mirrors and credentials | https://docs.npmjs.com/cli/configuring-npm/npmrc | .docker/** .aws/** .azure/** .kube/** .gcloud/** .pip/**
    `,
  },
  {
    kind: "lock-file",
    because: "It says which packages are fetched, and from where: an installation runs what it names.",
    rows: `
      npm, Yarn, pnpm, Bun, Deno | https://docs.npmjs.com/cli/configuring-npm/package-lock-json | package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
      the others' | each manager's manual | *.lock *.lockfile go.sum go.work.sum gemfile.lock cargo.lock poetry.lock composer.lock mix.lock pubspec.lock packages.lock.json package.resolved podfile.lock cartfile.resolved flake.lock pixi.lock
        pipfile.lock uv.lock pdm.lock conda-lock.yml gradle.lockfile paket.lock buf.lock stack.yaml.lock module.bazel.lock vendor.lock *.sum *.lock.json *-lock.json *-lock.y*ml .terraform.lock.hcl renv.lock npmdeps.nix *.freeze
    `,
  },
  {
    kind: "ignore-file",
    because: "It keeps files out of commits, images, packages or checks: what it no longer names may be published.",
    rows: `
      git, npm, Docker and others | gitignore(5) | .gitignore .*ignore *.gitignore .gitkeep manifest.in .dockerignore *.dockerignore
    `,
  },
  {
    kind: "foreign-code",
    because: "It lies among other people's code, which programs load and nobody reviews.",
    rows: `
      npm, Bower, jspm | https://docs.npmjs.com/cli/configuring-npm/folders | node_modules/** bower_components/** jspm_packages/** web_modules/**
      Python | https://docs.python.org/3/library/site.html | site-packages/** dist-packages/** .venv/** venv/** virtualenv/** .virtualenv/** .tox/** .nox/** *.egg-info/** *.dist-info/** .eggs/** __pycache__/**
      vendored code | https://go.dev/ref/mod#vendoring | vendor/** vendored/** third_party/** third-party/** thirdparty/** 3rdparty/** externals/** extern/** pods/** carthage/** subprojects/** elm-stuff/**
      caches of builds | each tool's manual | .cache/** .next/** .nuxt/** .turbo/** .parcel-cache/** .svelte-kit/** .terraform/** .stack-work/** .dart_tool/** .build/** deps/** _build/** .ccache/**
    `,
  },
];
