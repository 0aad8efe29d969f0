import { nodeFault } from "../base/node-version.ts";

// All that is imported is linked before this runs. So whoever imports this first imports nothing else that an older Node.js cannot link.
const fault = nodeFault(process.versions.node);
if (fault !== null) throw new Error(fault);
