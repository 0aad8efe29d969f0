import { expect, test } from "vitest";
import { readArtifactTool } from "../../../src/tools/run/read-artifact.ts";

type Context = Parameters<typeof readArtifactTool.execute>[1];

test("what an artifact holds stays untrusted, whatever labels were kept with it", async () => {
  const read = async (): Promise<unknown> => await Promise.resolve({ text: "a", from: 0, next: 1, total: 1, labels: [] });
  const result = await readArtifactTool.execute({ artifact: "0123456789abcdef" }, { handles: { artifacts: { read } } } as unknown as Context);
  expect(result).toMatchObject({ label: "untrusted", isError: false });
});
