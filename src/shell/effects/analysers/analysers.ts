import type { AnalyserName, ProgramNode } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { readFd } from "./fd.ts";
import { readFind } from "./find.ts";
import { readBusybox, readDd, readPrintf, readPs, readTest } from "./small-programs.ts";
import { readTar } from "./tar.ts";
import { readEnv, readShell } from "./wrappers.ts";
import { readXargs } from "./xargs.ts";

/** The programs whose words are a language of their own, which no table can describe. */
export const ANALYSERS: Readonly<Record<AnalyserName, (to: Collector, words: readonly Word[], node: ProgramNode) => void>> = {
  find: readFind,
  fd: readFd,
  tar: readTar,
  dd: readDd,
  test: readTest,
  env: readEnv,
  xargs: readXargs,
  printf: readPrintf,
  ps: readPs,
  busybox: readBusybox,
  shell: readShell,
};
