import type { Flag } from "./ranks.ts";

// A change is plain only where all of this says so: anything that is not known to be read by people and programs as text is shown as what it may be.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/u));

/** Source that interpreters run as it is. A tool that looks for a file of its own finds it by name and place. */
const INTERPRETED = words("js mjs cjs jsx ts mts cts tsx coffee py pyi rb php pl pm lua jl r ex clj cljs cljc groovy tcl");
/** Source that is compiled or shown. */
const COMPILED =
  words(`c h cc cpp cxx c++ hh hpp hxx ipp inl m mm go rs java kt scala swift cs fs fsi vb dart erl hrl hs ml mli elm purs zig nim d v sv svh vhd vhdl
  f f03 f90 f95 for ada adb ads pas pp asm s wat cu cuh sol move cairo vy glsl vert frag geom comp hlsl wgsl metal proto thrift fbs capnp avdl graphql gql sql idl
  vue svelte astro css scss sass less styl html htm xhtml svg ejs hbs handlebars mustache pug haml slim liquid twig erb jinja jinja2 j2 tmpl tpl gotmpl templ razor cshtml
  lisp scm rkt ss cob cbl bas`);
const TEXT = words("md markdown mdx rst adoc asciidoc txt text tex bib sty cls texi me pod rtf srt vtt po pot ftl strings xlf xliff resx arb");
const DATA = words("json jsonl ndjson json5 geojson topojson csv tsv psv");
/** Documents without an ending. */
const DOCUMENTS = words(
  "readme license licence unlicense copying copyright notice authors contributors credits thanks changelog changes history news todo maintainers",
);

const SCRIPTS =
  words(`sh bash zsh ksh csh tcsh fish dash ash nu elv xsh ps1 psm1 psd1 bat cmd com vbs vbe wsf wsh jse hta applescript scpt command awk gawk sed exp expect
  tcsh rc.local run tool bats vim vimrc el ahk au3 jxa osa`);
const PROGRAMS =
  words(`so dylib dll exe msi sys o obj a lib ko jar war ear aar class dex apk ipa wasm node pyd whl egg gem crate nupkg vsix xpi crx phar beam elc mo
  deb rpm pkg dmg appimage flatpak snap bin run img iso rlib rmeta hi swiftmodule lnk url webloc scf reg inf cpl`);
const CONFIGURATION =
  words(`yml yaml toml ini cfg cnf conf config properties xml xsd xsl xslt dtd plist hcl dhall cue jsonnet libsonnet ron kdl pkl hocon sdl edn jsonc env
  settings prefs opts options rc lst`);

const TOOL_DIRECTORIES =
  words(`bin sbin libexec script scripts tool tools tooling ci cd build-tools buildtools build-scripts build_scripts devtools dev-tools hook hooks deploy deployment
  deployments ops devops infra infrastructure docker packaging release releases jenkins tasks maintenance automation provision provisioning setup install installer bootstrap utils-ci workflows
  generators codegen codemods migrations seeders fixtures-setup loaders`);
const BUILT_DIRECTORIES = words(
  "dist build out output target lib-cov public/build release-build artifacts generated gen __generated__ compiled bundle bundles minified",
);

/** What a project's own beginning is named: read like any other source. */
const MAIN = words("index main mod lib app server cli client __init__ __main__ types constants utils");

const DOUBTS = {
  "dot-file": "Its name, or its directory's, begins with a dot: tools read such files by themselves, and it is not known which one reads this.",
  script: "It is a script: somebody, or a tool, runs it as it is.",
  "tool-script": "It lies where tools and people look for what they run: among a project's scripts, or at its top.",
  program: "It holds code that machines load, and no person can read.",
  configuration: "It configures something: it is not known what, or what of it names programs.",
  "built-file": "It is made of other files, and runs or is published in their place without anybody who reads it.",
  "unknown-kind": "It is of no kind that is known to be read and not run.",
} as const;

/** What is not known to be harmless in a file of this path, or null. `isTop`: whether a directory is the top of a project. */
export function doubtAt(path: string, isTop: (directory: string) => boolean): Flag | null {
  const kind = kindOf(path, isTop);
  return kind === null ? null : { kind, reason: DOUBTS[kind] };
}

/** Whether a file of this name is source that an interpreter may be told to run. */
export function isInterpreted(path: string): boolean {
  return INTERPRETED.has(endingOf(path.slice(path.lastIndexOf("/") + 1).toLowerCase()));
}

function kindOf(path: string, isTop: (directory: string) => boolean): keyof typeof DOUBTS | null {
  const names = path.toLowerCase().split("/");
  const name = names.pop() ?? "";
  if (name.startsWith(".") || names.some((each) => each.startsWith("."))) return "dot-file";
  const ending = endingOf(name);
  if (SCRIPTS.has(ending)) return "script";
  if (PROGRAMS.has(ending)) return "program";
  const isCode = INTERPRETED.has(ending);
  // A hook of React is named so, and is no hook of git.
  const isUse = /^use[-_A-Z]/u.test(path.slice(path.lastIndexOf("/") + 1));
  if (isCode && !isUse && names.some((each) => TOOL_DIRECTORIES.has(each))) return "tool-script";
  if (names.some((each) => BUILT_DIRECTORIES.has(each)) && (isCode || !TEXT.has(ending))) return "built-file";
  if (CONFIGURATION.has(ending)) return "configuration";
  const directory = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (isCode) return !MAIN.has(name.slice(0, -ending.length - 1)) && isTop(directory) ? "tool-script" : null;
  if (DATA.has(ending))
    return isTop(directory) || /(?:^|[-._])(?:config|settings|conf|rc|options|manifest|project|tasks|scripts)\./u.test(name) ? "configuration" : null;
  if (COMPILED.has(ending) || TEXT.has(ending)) return null;
  return ending === "" && DOCUMENTS.has(name) ? null : "unknown-kind";
}

/** Without the dot; empty where there is none. */
function endingOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at + 1);
}
