// The contract suite of the runtimes below gVisor, on an engine of its own that has `runsc` (npm run soak -- gvisor; what follows goes to vitest). Root, with Docker Engine's programs installed, and the sandbox image.
// Without `runsc` it says so and ends with 0; REQUIRE_GVISOR=1 demands it: exit code 6.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadImage, ownEngine } from "../shared/own-engine.ts";

const ROOT = join(import.meta.dirname, "../..");
const found = spawnSync("sh", ["-c", "command -v runsc"], { encoding: "utf8" }).stdout.trim();
if (found === "") {
  console.error("gvisor: runsc is not installed, so its contract suite does not run here (REQUIRE_GVISOR=1 demands it; Debian: apt-get install runsc)");
  process.exit(process.env["REQUIRE_GVISOR"] === "1" ? 6 : 0);
}
// As docs/guides/engines.md says.
const settings = { runtimes: { runsc: { path: found, runtimeArgs: ["--platform=ptrace", "--network=none"] } } };
const place = mkdtempSync("/tmp/warder-gvisor-");
const engine = ownEngine(place, join(ROOT, ".tools", "gvisor"), settings);
let status = 1;
try {
  await engine.ensure();
  loadImage(engine, join(ROOT, "sandbox", "build", "image-id"));
  console.log(`gvisor: ${spawnSync(found, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0] ?? ""}`);
  const contract = "performs actions|ends what runs|contains|keeps|bound workspace|its owner is killed|below gVisor|in gVisor|was lost";
  const environment = { ...process.env, DOCKER_HOST: engine.host, REQUIRE_DOCKER: "1", WARDER_TEST_ENGINE_RUNTIME: "runsc" };
  const suite = spawn("vitest", ["run", "test/sandbox/docker/runtime.test.ts", "-t", contract, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: environment,
  });
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => suite.kill(name));
  status = await new Promise<number>((resolve, reject) => suite.on("error", reject).on("exit", (code) => resolve(code ?? 1)));
  const left = engine
    .client("ps", "--all", "--quiet", "--filter", "label=warder.owner")
    .split("\n")
    .filter((line) => line !== "");
  if (left.length > 0) {
    console.error(`gvisor: ${String(left.length)} containers of sandboxes are left`);
    engine.client("rm", "--force", ...left);
    status = 1;
  }
} finally {
  await engine.stop();
  rmSync(place, { recursive: true, force: true });
}
process.exit(status);
