/** What Node.js loads for `warder/tools`: tools.ts, once it is known to be new enough for it. */
import "./needs-node.ts";
import { createRequire } from "node:module";
import type * as Tools from "./tools.ts";

const whole = createRequire(import.meta.url)(`./tools${import.meta.url.slice(-3)}`) as typeof Tools;
export const { defineTool, staticTools, trustedError, untrustedError, untrustedText } = whole;
