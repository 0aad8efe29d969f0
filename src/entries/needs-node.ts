import { nodeFault } from "../base/node-version.ts";

const fault = nodeFault(process.versions.node);
if (fault !== null) throw new Error(fault);
