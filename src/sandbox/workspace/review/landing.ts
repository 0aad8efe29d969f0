import { noteLanded } from "../changes/landed.ts";
import type { ApplyPlan } from "../changes/apply.ts";
import type { Layers } from "../files/layers.ts";
import type { SecretScan } from "../files/secret-scan.ts";
import { type WorkspaceRecord, workspacePaths } from "../record.ts";
import { loadBeginnings, writeBeginnings } from "../repository/beginnings.ts";
import { landRepository } from "../repository/land.ts";
import { nameTest } from "./selection.ts";

type Place = {
  readonly runDirectory: string;
  readonly record: WorkspaceRecord;
  readonly layers: Layers;
  /** What a person named. */ readonly named: readonly string[];
  readonly secrets: SecretScan;
  readonly hidden: readonly string[];
};

/** Lands a run's repositories, and writes down what landed. */
export function repositoryLanding({ runDirectory, record, layers, named, secrets, hidden }: Place): ApplyPlan["landRepository"] {
  const paths = workspacePaths(runDirectory);
  return async (repository, unit, madeInSubmodules) => {
    const beginnings = loadBeginnings(paths.beginnings);
    const of = { repository, workspace: record.workspace, layers, scratch: paths.check, beginnings };
    const check = { secrets, hidden, madeInSubmodules, allowsSecrets: nameTest(named)(repository) };
    const landed = await landRepository({ ...of, ...check, message: `warder: ${record.runId}` }, unit);
    if (typeof landed === "string") return landed;
    writeBeginnings(paths.beginnings, new Map([...beginnings, [repository, landed.beginning]]));
    noteLanded(paths.landed, unit, layers.upper);
    return null;
  };
}
