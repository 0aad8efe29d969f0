import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";

/** What a shell prints in a container of the sandbox image, as its root and without a network. */
function inside(script: string): readonly string[] {
  const image = readFileSync(new URL("../../sandbox/build/image-id", import.meta.url), "utf8").trim();
  const output = execFileSync("docker", ["run", "--rm", "--network", "none", image, "sh", "-c", script], { encoding: "utf8" });
  return output.trim().split("\n");
}

describeWithDocker("the sandbox image, however its base was made", () => {
  test("has every package configured, the usual modes, and no setuid file", () => {
    expect(inside("dpkg --audit; stat --format '%a %n' /tmp /var/tmp /root; find / -xdev -type f -perm /6000")).toEqual([
      "1777 /tmp",
      "1777 /var/tmp",
      "700 /root",
    ]);
  });

  test("has the programs that it is made for", () => {
    expect(inside("node --version; for name in npm git gcc make python3 rg jq sqlite3; do command -v $name >/dev/null || echo no $name; done")).toEqual([
      expect.stringMatching(/^v2[4-9]\./u),
    ]);
  });
});
