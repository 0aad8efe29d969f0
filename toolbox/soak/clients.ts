/**
 * Makes an image that has more clients of registries than Warder's own, of Debian's packages, and has each fetch from a registry on loopback: through the egress
 * proxy, past it, and without a network (test/end-to-end/clients.test.ts). The image is made once, in two minutes, as sandbox/build-image.sh makes Warder's own, and
 * takes 1.9 GB. Arguments go to vitest.
 *
 *   npm run soak -- clients [-t NAME]
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGES = "apt cargo-web golang-go gradle maven openjdk-17-jre-headless python3-pip python3-requests wget".split(" ");

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "warder-clients-"));
try {
  for (const name of ["Dockerfile", "packages.txt", "install-packages.sh", "build-image.sh"]) cpSync(join(root, "sandbox", name), join(folder, name));
  appendFileSync(join(folder, "packages.txt"), `${PACKAGES.join("\n")}\n`);
  const made = spawnSync("sh", [join(folder, "build-image.sh"), join(folder, "build")], { stdio: "inherit" });
  if (made.status !== 0) throw new Error("The image could not be made.");
  const image = readFileSync(join(folder, "build", "image-id"), "utf8").trim();
  const env = { ...process.env, TEST_CLIENTS_IMAGE: image, REQUIRE_DOCKER: "1" };
  const argv = ["run", "test/end-to-end/clients.test.ts", ...process.argv.slice(2)];
  process.exitCode = spawnSync("vitest", argv, { cwd: root, stdio: "inherit", env }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
