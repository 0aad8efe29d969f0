import type { Builtin } from "./builtin.ts";
import { declaring, unset } from "./declarations.ts";
import { changeDirectory, popDirectory, pushDirectory } from "./directories.ts";
import { evaluate, replace, source, trap, unwrap } from "./evaluation.ts";
import { evaluating, exit, inert, leave, tabled } from "./inert.ts";
import { alias, jobs, override, set, shopt } from "./options.ts";
import { compute, nextOption, print, read, readLines, test, wait } from "./readers.ts";

/** Every builtin of bash 5.2. A function of such a name makes the script undecidable. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [":", inert], ["true", inert], ["false", inert], ["echo", inert], ["pwd", inert], ["times", inert], ["type", inert], ["shift", inert],
  ["break", inert], ["continue", inert], ["caller", inert], ["dirs", inert], ["disown", inert], ["fg", inert], ["bg", inert], ["help", inert],
  ["suspend", inert], ["logout", inert], ["umask", inert], ["ulimit", inert], ["unalias", inert],
  ["exit", exit], ["return", leave],
  ["kill", tabled],
  ["cd", changeDirectory], ["pushd", pushDirectory], ["popd", popDirectory],
  ["export", declaring], ["declare", declaring], ["typeset", declaring], ["local", declaring], ["readonly", declaring], ["unset", unset],
  ["read", read], ["mapfile", readLines], ["readarray", readLines], ["printf", print], ["getopts", nextOption], ["wait", wait], ["let", compute],
  ["[", test], ["test", test],
  ["eval", evaluate], ["trap", trap], ["source", source], [".", source], ["command", unwrap], ["builtin", unwrap], ["exec", replace],
  ["set", set], ["shopt", shopt], ["alias", alias], ["enable", override], ["hash", override], ["jobs", jobs],
  ["complete", evaluating], ["compgen", evaluating], ["compopt", evaluating], ["bind", evaluating], ["history", evaluating], ["fc", evaluating],
]);
