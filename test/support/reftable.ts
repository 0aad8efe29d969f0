import { spawnSync } from "node:child_process";

/** Whether git here can keep refs in tables: one before 2.45 cannot. */
export const hasReftable = spawnSync("git", ["init", "-h"], { encoding: "utf8" }).stdout.includes("--ref-format");
