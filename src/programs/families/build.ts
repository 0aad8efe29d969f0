/** Building and testing: the files of a project are programs, so nearly all of it runs code. */
export const build = `
make gmake : text* with:make | -[BkiqnstSwrRLep] -[jl]=text? -#  --silent --quiet --keep-going --dry-run --just-print --always-make --no-print-directory --print-directory --jobs=text? --debug=text? --trace -d --output-sync=text? -O=text?
  | -C,--directory=directory -f,--file,--makefile=code-file -I,--include-dir=read -o,--old-file=text -W,--what-if=text --eval=code -v~
# Behind a verb -v is something else to some of them: \`vite build -v\` builds, \`meson test -v\` says more while it tests.
meson gradle gradlew vitest cypress vite rollup next : text* !runs-code@0 | -v~0
# Their -v is no question for a version: they say more while they build.
# Behind what it shows may stand a file that it writes.
cmake : code-file* !runs-code@0
  | --help-command=text~ --help-module=text~ --help-variable=text~ --help-property=text~ --help-policy=text~ --help-manual=text~ --help-command-list~ --help-module-list~ --help-variable-list~ --help-property-list~ --help-policy-list~ --help-manual-list~ --help-full~ --help-commands~ --help-modules~ --help-policies~ --help-properties~ --help-variables~
ctest cpack ninja ant just task nox playwright parcel nuxt astro xo standard : text* !runs-code@0
# Before they read a word, they hand over to the project's own installation (node_modules, tools/bazel) or load what it names: .jvmopts
# starts agents, conftest.py, toxfile.py, .mocharc.js, nyc.config.js, the local plugins of .flake8 and the init-hook of pylintrc are loaded, and what c8 extends in package.json. To husky any word is a directory for hooks.
bazel bazelisk buck sbt tox pytest py.test jest ava mocha karma nyc flake8 pylint husky webpack nx turbo lerna c8 : text* !runs-code | -[vVh] --version --help
# .mvn/jvm.config starts agents, and .mvn/extensions.xml loads code.
mvn : text* !runs-code@0 !runs-code/maven | -v~ --version~ -h~ --help~ -V
# What they print of themselves; a file of the program behind it is still compiled.
gcc g++ cc c++ clang clang++ gfortran : code-file* !runs-code@0
  | -v~ -V~ -dumpversion~ -dumpfullversion~ -dumpmachine~ -dumpspecs~ -print-search-dirs~ --print-search-dirs~ -print-multiarch~ --print-multiarch~ -print-sysroot~ --print-sysroot~ -print-multi-lib~ --print-multi-lib~ -print-multi-directory~ --print-multi-directory~ -print-libgcc-file-name~ --print-libgcc-file-name~
  | -print-file-name=text?~ --print-file-name=text?~ -print-prog-name=text?~ --print-prog-name=text?~ -print-targets~ --print-targets~ -print-target-triple~ --print-target-triple~ -print-resource-dir~ --print-resource-dir~ -print-supported-cpus~ --print-supported-cpus~
ld : code-file* !runs-code@0 | -v~ -V~ --print-output-format~
clang-tidy tsc tsgo nvcc nasm protoc : code-file* !runs-code@0 | -v~ -V~ -dumpversion~ -dumpmachine~ --print-search-dirs~ -print-search-dirs~ -print-multiarch~
# It goes on behind -v, and writes a.out.
as : code-file* !writes | -v -V
pkg-config pkgconf : text* | --cflags --libs --exists --modversion --list-all --variable=text --print-errors --short-errors --silence-errors --static --atleast-version=text --print-variables --print-requires --cflags-only-I --libs-only-L --libs-only-l
  | --cflags-only-other --libs-only-other --print-provides --print-requires-private --exact-version=text --max-version=text --atleast-pkgconfig-version=text --uninstalled --validate --debug --errors-to-stdout --msvc-syntax --define-prefix --dont-define-prefix --define-variable=text --prefix-variable=text
gofmt : read* with:rewriting | -l -d -e -s -w!writes -r=text
# The toolchain that go.mod names is fetched and takes over, whatever is asked (Go 1.21).
go : !system | --version --help
  version : !system | -m -v
  env : text* !secrets | -json -changed -w!persists -u!persists
  list : text* !runs-code
  doc : text* !system | -all -short -src -u -c -cmd
  help : text* !system
  install get : text* !runs-code fetches:go
  mod : text* !runs-code
    download tidy vendor : text* !runs-code fetches:go
  build run test vet generate work tool fix fmt clean bug : text* !runs-code
# Where rustup stands in for them, rust-toolchain.toml in the working directory may name a toolchain by its path, which is started whatever is asked of them.
rustc rustdoc rustfmt : code-file* !runs-code@1 !runs-code/rust | -[vVh] --version --help
# Where a project's configuration names nothing, the rest only looks. A manual page comes with a pager; metadata with dependencies and tree make a Cargo.lock.
cargo : !runs-code/cargo | -[Vhqv] --verbose --version --help --list --color=text
  locate-project : !runs-code/cargo | --message-format=text --workspace --manifest-path=read -q --quiet -v --verbose
  read-manifest verify-project : !runs-code/cargo | --manifest-path=read -q --quiet -v --verbose
  version : !runs-code/cargo | -v --verbose -q --quiet
  search : text* !runs-code/cargo !connects at:configured | --limit=text -q --quiet -v --verbose
  info : text !runs-code/cargo !connects at:configured | -q --quiet -v --verbose
  help : text* !runs-code@1 !runs-code/cargo
  metadata : !runs-code@0 !runs-code/cargo | --no-deps~ --format-version=text --manifest-path=read -q --quiet -v --verbose
  update add install fetch vendor generate-lockfile : text* !runs-code fetches:crates
  pkgid tree build check test run bench doc clippy fix clean remove uninstall new init publish package yank login : text* !runs-code
  # rustfmt's own options stand behind two dashes, mostly this one.
  fmt : text* !runs-code/cargo with:formats | --check~ --all -q,--quiet -v,--verbose -p,--package=text --message-format=text --manifest-path=read
  owner : text !unknown@0 !runs-code/cargo !connects at:configured | -l,--list~ -q,--quiet -v,--verbose
# Beside its own version it says that of the toolchain that the working directory may name, which it asks.
rustup : !unknown@0 !runs-code/rust | -V~ --version~
  show : text* !runs-code/rust
  # What rust-toolchain.toml names is installed where it is missing, and only then shown.
  which : text !system | --toolchain=text
  show/home show/profile :
  check : !connects
  toolchain override : !unknown
    list : text* | -v,--verbose -q,--quiet
  target component : !unknown
    list : text* !system | --installed
  update install default uninstall run self set : text* !system !runs-code
# global.json in the working directory may name a folder of it as the place of the SDK, which answers nearly everything.
dotnet : code-file* !runs-code@1 !runs-code@0/dotnet | --info --version -h --help --list-sdks~ --list-runtimes~
xcodebuild : code-file* !runs-code@0 | -version~ -showsdks~
# Where a tool or an SDK is; without such an option, the words are a tool that runs.
xcrun : code-file* !runs-code@0 first lone apart | -version~ --version~ -f=text~ -find=text~ --find=text~ -show-sdk-path~ --show-sdk-path~ --show-sdk-version~ --show-sdk-build-version~ --show-sdk-platform-path~ --show-sdk-platform-version~ --show-toolchain-path~ -sdk=text --sdk=text
  simctl : text* !runs-code@0
    list : text* | -j --json -v
  devicectl/list/devices xctrace/list/devices :
eslint prettier biome oxlint oxfmt stylelint tslint knip : text* !runs-code@0 | -v~0
ruff : | -h -V || -[qvsn] --quiet --verbose --silent --isolated --color=(auto|always|never) --config=code-file
  version : | --output-format=text
  help rule : text | --all --output-format=text
  linter config : text | --output-format=text
  analyze/graph : read* | --direction=text --detect-string-imports --min-dots=text --preview --no-preview --target-version=text --python=text!unknown
  # fix or fix-only in a configuration of the project makes it write; --no-fix takes back the first alone.
  check : read* !writes@0/ruff with:rewriting | -h --per-file-target-version=text --show-fixes --no-show-fixes --extension=text --extend-fixable=text --extend-per-file-ignores=text --no-respect-gitignore --no-force-exclude --no-unsafe-fixes --exit-non-zero-on-fix --exit-non-zero-on-format --ignore-noqa --select=text --ignore=text --extend-select=text --extend-ignore=text --output-format=text --statistics --diff~ --show-files~ --show-settings~ --no-cache --no-fix --target-version=text --preview --no-preview --exclude=text --extend-exclude=text
    | --force-exclude --respect-gitignore --exit-zero -e --per-file-ignores=text --line-length=text --stdin-filename=text --fixable=text --unfixable=text
    | --fix!writes --unsafe-fixes --fix-only!writes --add-noqa!writes -o,--output-file=write -w,--watch --cache-dir=write
  format : read* !writes@0 with:rewriting | --check~ --diff~ --no-cache --target-version=text --preview --line-length=text --exclude=text --respect-gitignore --force-exclude --stdin-filename=text --cache-dir=write --range=text
black : read* !writes@0 with:rewriting | --check~ --diff~ -c,--code=text~ -l,--line-length=text -t,--target-version=text --pyi --ipynb --python-cell-magics=text -x,--skip-source-first-line -S,--skip-string-normalization -C,--skip-magic-trailing-comma --preview --unstable --enable-unstable-feature=text --color --no-color
  | --line-ranges=text --fast --safe --required-version=text --include=text --exclude=text --extend-exclude=text --force-exclude=text --stdin-filename=text -W,--workers=text -q,--quiet -v,--verbose --config=read --no-cache --version~ -h~ --help~
# A difference is made over a file of the source's name with .isorted behind it, which is deleted then; a check makes none.
isort : read* !writes@0 with:rewriting | -c~ --check~ --check-only~ --diff --df -d~ --stdout~ --show-files~ --show-config~ --show-settings~ -V~ --version~ --vn~ --version-number~ -h~ --help~ -v,--verbose -q,--quiet --only-modified --om --color --profile=text -l,--line-length,--line-width=text -w,--wrap-length,--wl=text -m,--multi-line=text -i,--indent=text
  | -e,--balanced --tc,--trailing-comma --up,--use-parentheses --sl,--force-single-line-imports --nsl,--single-line-exclusions=text --fss,--force-sort-within-sections --fas,--force-alphabetical-sort --ff,--from-first --ca,--combine-as --cs,--combine-star --ls,--length-sort --rr,--reverse-relative --rs,--reverse-sort --ot,--order-by-type --dt,--dont-order-by-type
  | -n,--ensure-newline-before-comments -s,--skip,--extend-skip=text --sg,--skip-glob,--extend-skip-glob=text --gitignore,--skip-gitignore --filter-files --ext,--extension,--supported-extension=text --src,--src-path=read -p,--project=text -o,--thirdparty=text -b,--builtin=text --extra-builtin=text -f,--future=text --known-local-folder=text --py,--python-version=text
  | --sp,--settings-path,--settings-file,--settings=read --cr,--config-root=read --resolve-all-configs --dont-follow-links --filename=text --allow-root --float-to-top --case-sensitive --combine-straight-imports --csi --star-first --lines-after-imports,--lai=text --lbi,--lines-before-imports=text --lbt,--lines-between-types=text -j,--jobs=text? --ac,--atomic!writes
# A configuration in the working directory may tell it to write.
autopep8 : read* !writes@0 with:rewriting | -d~ --diff~ --list-fixes~ --version~ -h~ --help~ -p,--pep8-passes=text -a,--aggressive --experimental --exclude=text --ignore=text --select=text --max-line-length=text --range,--line-range=text=text --hang-closing --exit-code -v,--verbose -r,--recursive>read-tree -j,--jobs=text --indent-size=text --ignore-local-config --global-config=read
yapf : read* | -d,--diff -q,--quiet -l,--lines=text -e,--exclude=text --style=text --style-help --no-local-style -p,--parallel -m,--print-modified -v,--verbose -vv -r,--recursive>read-tree -i,--in-place>write -h --version
mypy pyright bandit : text* !runs-code@0
# With -a it quotes the files that a script sources.
shellcheck : read* inert | -[Cx] -a,--check-sourced>list -[eifoPsSW]=text --format=text --severity=text --shell=text --exclude=text --include=text --enable=text --color=text? --external-sources --norc --list-optional -V --extended-analysis=text --wiki-link-count=text
shfmt : read* with:rewriting | -[ldsfp] -[in]=text -ln=text -ci -bn -sr -kp -fn -mn -tojson -w!writes --write!writes --list=text? --find=text? --diff --simplify --minify --posix --to-json --apply-ignore --language-dialect=text --indent=text --binary-next-line --case-indent --space-redirects --keep-padding --func-next-line --filename=text
markdownlint : read* !unknown
pre-commit lint-staged commitlint : text* !runs-code
`;
