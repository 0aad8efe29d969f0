// The contract suite of the runtimes and the attacks on an engine that has not this machine's files (npm run test:elsewhere; what follows goes to vitest): a dockerd of its own in a private mount namespace, reached by TCP on the
// loopback. Root, with Docker Engine's programs installed, and the sandbox image. Else it says so and ends with 0; REQUIRE_ELSEWHERE=1 demands it: exit code 6. With `--part` the tests that differ there.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { engineElsewhere } from "../toolbox/shared/engine-elsewhere.ts";

const ROOT = join(import.meta.dirname, "..");
const words = process.argv.slice(2);
const isPart = words.includes("--part");
if (process.getuid?.() !== 0 || spawnSync("sh", ["-c", "command -v dockerd && command -v unshare"], { stdio: "ignore" }).status !== 0) {
  console.error("elsewhere: this needs root and Docker Engine's programs, so the suite does not run here (REQUIRE_ELSEWHERE=1 demands it)");
  process.exit(process.env["REQUIRE_ELSEWHERE"] === "1" ? 6 : 0);
}
const place = mkdtempSync("/tmp/warder-elsewhere-");
const engine = await engineElsewhere(place, join(ROOT, ".tools", "elsewhere"), ROOT);
let status = 1;
try {
  const env = { ...process.env, DOCKER_HOST: engine.host, REQUIRE_DOCKER: "1", WARDER_TEST_ELSEWHERE: "1" };
  const whole = [
    "test/sandbox/docker/runtime.test.ts",
    "test/sandbox/docker/elsewhere.test.ts",
    "test/sandbox/jobs/jobs.test.ts",
    "test/escape/escape.test.ts",
  ];
  const part = ["test/sandbox/docker/elsewhere.test.ts"];
  const suite = spawn("vitest", ["run", ...(isPart ? part : whole), ...words.filter((word) => word !== "--part")], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env,
  });
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => suite.kill(name));
  status = await new Promise<number>((resolve, reject) => suite.on("error", reject).on("exit", (code) => resolve(code ?? 1)));
  for (const what of [
    ["ps", "--all"],
    ["volume", "ls"],
  ]) {
    const left = spawnSync("docker", [...what, "--quiet"], { env, encoding: "utf8" }).stdout.trim();
    if (left === "") continue;
    console.error(`elsewhere: left on the engine (docker ${what.join(" ")}):\n${left}`);
    status = 1;
  }
} finally {
  await engine.stop();
  rmSync(place, { recursive: true, force: true });
}
process.exit(status);
