/** What Node.js loads for `warder/policy`: policy.ts, once it is known to be new enough for it. */
import "./needs-node.ts";
import { createRequire } from "node:module";
import type * as Policy from "./policy.ts";

const whole = createRequire(import.meta.url)(`./policy${import.meta.url.slice(-3)}`) as typeof Policy;
export const { analyseCommand, decide, loadPolicy, checkCall, checkCommand, readContext } = whole;
