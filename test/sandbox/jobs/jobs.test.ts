import { docker } from "../../contract/docker-under-test.ts";
import { jobsContract } from "../../contract/runtime-jobs.ts";
import { describeWithDocker } from "../../support/docker.ts";

describeWithDocker("in Docker's containers", () => {
  jobsContract(docker);
});
