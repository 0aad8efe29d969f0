/** What programs and libraries are made of, and what checks texts without running them (binutils 2.40, elfutils 0.188, LLVM 14, OpenJDK 17, wabt 1.0; each by its manual). */
export const objects = `
# A word that begins with @ names a file of further options.
c++filt cxxfilt llvm-cxxfilt : object* answers undivided | -[_npirt] -s=text --strip-underscore --no-strip-underscore --no-params --types --no-verbose --format=text --no-recurse-limit --recurse-limit
llvm-nm : object* answers undivided | -[aACDgjnoprSuUvWP] -t=text --debug-syms --print-file-name --demangle --dynamic --extern-only --numeric-sort --no-sort --reverse-sort --print-size --size-sort --undefined-only --defined-only --no-weak --format=text --radix=text --portability
llvm-objdump : object* answers undivided | -[aCdDfhlprRstTwxz] -[jM]=text --all-headers --disassemble --disassemble-all --disassemble-symbols=text --demangle --dynamic-syms --syms --section=text --section-headers --headers --file-headers --full-contents --reloc --dynamic-reloc --private-headers --no-show-raw-insn --no-leading-addr
  | --line-numbers --start-address=text --stop-address=text --x86-asm-syntax=text --triple=text --wide -S,--source!unknown
llvm-readelf llvm-readobj : object* answers undivided | -[aAdehIlnrsSuVW] -[xp]=text --all --file-headers --headers --file-header --section-headers --sections --section-details --program-headers --segments --symbols --syms --dyn-syms --dyn-symbols --dynamic --dynamic-table --relocs --relocations --notes --needed-libs --version-info --unwind --hex-dump=text --string-dump=text --demangle -C
  | --elf-output-style=text --wide --histogram --gnu-hash-table --hash-table --hash-symbols --stack-sizes --addrsig --coff-imports --coff-exports
llvm-size : object* answers undivided | -[ABt] --format=text --radix=text --totals --common
llvm-strings : object* answers undivided | -[af] -[nt]=text --all --bytes=text --radix=text --print-file-name
llvm-bcanalyzer : object answers | --dump --disable-histogram --show-binary-blobs -dump
llvm-config : text* | --version --prefix --src-root --obj-root --bindir --includedir --libdir --cmakedir --cppflags --cflags --cxxflags --ldflags --system-libs --libs --libnames --libfiles --components --targets-built --host-target --build-mode --assertion-mode --build-system --has-rtti --shared-mode --link-shared --link-static
llvm-dwarfdump : object* answers undivided | -[a] --all --debug-info=text? --debug-line=text? --debug-abbrev --debug-aranges --debug-frame --debug-str --eh-frame --verify --statistics --show-children -c --show-parents -p --name=text --find=text --lookup=text --uuid -u --verbose -v --summarize-types
eu-readelf : read* | -[aAdehIlnrsSVW] -x=text -p=text? --all --file-header --section-headers --program-headers --symbols --dynamic --notes --relocs --wide
eu-nm : read* | -[aABCDgnoprsSu] --demangle --dynamic --extern-only --undefined-only --defined-only --numeric-sort --print-size
eu-size : read* | -[ABFfot] --format=text --totals
eu-strings : read* | -[afo] -[net]=text --all --bytes=text --radix=text
# What sets a path or a name changes the file.
patchelf : object* !unknown@0 undivided | --print-interpreter~ --print-rpath~ --print-needed~ --print-soname~ --print-os-abi~ --print-execstack~
chrpath : read* !unknown@0 | -l~ --list~
wasm-objdump : read* undivided | -[hdxsr] -j,--section=text --headers --disassemble --details --reloc --full-contents
wasm-validate : read undivided | -v --verbose --enable-all
wasm2wat : read undivided | -v -f --fold-exprs --inline-exports --inline-imports --no-check --no-debug-names --generate-names --enable-all -o,--output=write
wasm-tools : !unknown
  validate : read | --features=text -f=text -v -q
  print objdump : read | -v -q -p -o,--output=write
# A class, a file of one, or an address of one. -J hands on to the machine that runs it.
javap : plain-file* answers apart undivided | -c -v -verbose -p -private -public -protected -package -l -s -constants -sysinfo -version -m=text --module=text -cp,-classpath,--class-path=read
jar : code-file* !runs-code@0 lone apart answers | --version~ --help~ -tf=object~ -tvf=object~ --list~ --describe-module~ --file=object
  # An archive, and names in it.
  tf tvf vtf : object object* answers undivided
jdeps : object* answers apart undivided | -s -summary -v -verbose -R -recursive -q -quiet -jdkinternals --jdk-internals --list-deps --list-reduced-deps --print-module-deps --ignore-missing-deps --multi-release=text -cp,-classpath,--class-path=read
# With the name of a host it asks there.
jps : | -[qmlv]
jcmd : | -l
# A list of what was revoked may lie at any address.
keytool : apart | -cacerts -printcrl -showinfo -tls -list -printcert -printcertreq -v -rfc -file=plain-file -keystore=read -alias=text -storetype=(jks|pkcs12|JKS|PKCS12) -storepass=secret -version
luac luac5.1 luac5.3 luac5.4 : read* !writes@0 lone first | -p~ -l -v
# With a word behind it, it compiles.
ccache : !unknown@1 | -[spVvx] --show-stats --show-config --print-stats --show-compression --version --verbose -k,--get-config=text
zig : code-file* !runs-code@1
  version env targets zen :
  ast-check : read undivided | -t --color=text
  fmt : read-tree* !writes@0 undivided with:rewriting | --check~ --exclude=text --color=text --ast-check
# Compilers that are asked about themselves.
# A style may be a file, whose lines an error shows.
@clang-styles = --style=(LLVM|GNU|Google|Chromium|Microsoft|Mozilla|WebKit|file|none) -style=(LLVM|GNU|Google|Chromium|Microsoft|Mozilla|WebKit|file|none) --fallback-style=(LLVM|GNU|Google|Chromium|Microsoft|Mozilla|WebKit|none) -fallback-style=(LLVM|GNU|Google|Chromium|Microsoft|Mozilla|WebKit|none)
clang-format : object* answers | -n --dry-run -Werror --Werror --verbose @clang-styles --sort-includes --dump-config -dump-config --assume-filename=text -assume-filename=text --ferror-limit=text --fail-on-incomplete-format
  | --lines=text -lines=text --offset=text -offset=text --length=text -length=text -i!writes
# An addon is a program, and so is what a project names. A source includes any file, whose lines an error shows.
cppcheck : read-tree* !unknown@0 | -[qvf] --quiet --verbose --force --enable=text --disable=text --inconclusive --std=text --language=text -x=text --inline-suppr --error-exitcode=text -[jDUIi]=text --max-configs=text --template=text --suppress=text --xml --xml-version=text --check-level=text --report-progress --check-config --platform=(unix32|unix64|win32A|win32W|win64|native|unspecified)
  | --output-file=write --cppcheck-build-dir=write
# Checks of texts. Their configurations hold words alone.
yamllint : read-tree* !unknown@0/yamllint | -c,--config-file=list -d,--config-data=(default|relaxed)~ -f,--format=(parsable|standard|colored|github|auto) -s,--strict --no-warnings --list-files -v -h
hadolint : read* | -c,--config=read -f,--format=text --ignore=text --no-fail --no-color -t,--failure-threshold=text --trusted-registry=text --require-label=text --strict-labels --disable-ignore-pragma --error=text --warning=text --info=text --style=text -V,--verbose
# It starts shellcheck and pyflakes, which only read what they are given; with other names it starts those.
actionlint : read* lone with:here | -color -no-color -oneline -verbose -debug -version -format=text -ignore=text -config-file=read -shellcheck=code -pyflakes=code -init-config!writes -stdin-filename=text
desktop-file-validate : read* | --no-hints --no-warn-deprecated --warn-kde
gocyclo : read-tree* lone | -over=text -top=text -avg -avg-short -total -total-short -ignore=text
lizard : read-tree* | -[wmV] -l,--languages=text -C,--CCN=text -L,--length=text -a,--arguments=text -x,--exclude=text -s,--sort=text -i,--ignore_warnings=text --csv --xml --warnings_only --verbose
`;
