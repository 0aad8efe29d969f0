import { nodeFault } from "../base/node-version.ts";

// Everything that an entry imports is linked before this runs. So what Node.js 20 does not export is no named import in our files: it is read from the default export, in the call.
const fault = nodeFault(process.versions.node);
if (fault !== null) throw new Error(fault);
