#!/usr/bin/env node
import { nodeFault } from "../base/node-version.ts";

const fault = nodeFault(process.versions.node);
if (fault === null) await (await import("./start.ts")).start(process.argv);
else {
  process.stderr.write(`warder: ${fault}\n`);
  process.exitCode = 78;
}
