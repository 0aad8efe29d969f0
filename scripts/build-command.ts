// Bundles the whole command line for a checkout, for bin/check.cjs, into a folder of .tools. Run by scripts/setup when something changed.
import { join } from "node:path";
import { bundleInCheckout, signaturesOf } from "./check-bundle/in-checkout.ts";
import { bundleCommand } from "./check-bundle/whole-command.ts";

const root = join(import.meta.dirname, "..");

/** A run that goes on loads what it needs later from the bundle that it began with. */
const KEPT_MS = 2 * 86_400_000;

await bundleInCheckout({
  root,
  name: "command",
  main: "main.mjs",
  further: ["bin/check.cjs", "package.json", "package-lock.json", "scripts/build-command.ts", "scripts/check-bundle/whole-command.ts"],
  keptMs: KEPT_MS,
  make: async (folder) => {
    const read = await bundleCommand(root, folder);
    const now = signaturesOf(
      root,
      Object.keys(read).map((path) => join(root, path)),
    );
    if (JSON.stringify(now) !== JSON.stringify(read)) throw new Error("a source changed meanwhile; run it again");
    return read;
  },
});
