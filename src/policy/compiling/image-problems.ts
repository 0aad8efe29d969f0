import type { Policy } from "../policy.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";

/** `image` and `engine-runtime` under bubblewrap, which has neither: it would run without what the policy asks for. */
export function imageProblems({ name, sandbox, positions }: Omit<Policy, "digest" | "files">): readonly PolicyDiagnostic[] {
  if (sandbox.runtime !== "bubblewrap") return [];
  const stated = [
    ["image", sandbox.image],
    ["engine-runtime", sandbox.engineRuntime],
  ] as const;
  return stated.flatMap(([key, value]) =>
    value === undefined
      ? []
      : [
          errorAt(positions?.get(`sandbox.${key}`) ?? { file: name, line: 1, column: 1 }, `\`sandbox.${key}\` needs the runtime docker.`, {
            why: "Bubblewrap shows the machine's own programs, under its own kernel.",
            remedy: `Say \`runtime: docker\`, or leave \`${key}\` out.`,
          }),
        ],
  );
}
