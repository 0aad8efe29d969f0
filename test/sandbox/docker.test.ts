import { execFileSync } from "node:child_process";
import { dockerRuntime } from "../../src/sandbox/docker.ts";
import { runtimeContract, type RuntimeUnderTest } from "../contract/runtime.ts";
import { changesContract } from "../contract/runtime-changes.ts";
import { containmentContract } from "../contract/runtime-containment.ts";
import { describeWithDocker } from "../support/docker.ts";

const docker: RuntimeUnderTest = {
  make: () => dockerRuntime(),
  leftovers: (runId) => execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${runId}`], { encoding: "utf8" }).split("\n").filter((line) => line !== ""),
};

describeWithDocker("the Docker runtime", () => {
  runtimeContract(docker);
  containmentContract(docker);
  changesContract(docker);
});
