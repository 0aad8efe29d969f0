import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import type { Policy } from "../policy.ts";

/** Whether a text is an image's content digest, which says what is in it; a name says it only together with who prepared it. */
export function isImageDigest(image: string): boolean {
  return /^sha256:[0-9a-f]{64}$/u.test(image);
}

/** Why a text cannot stand for an image, or null. A registry's reference (`node:24`) is none: what it means is decided elsewhere, and later. */
export function imageFault(image: string): string | null {
  if (isImageDigest(image) || /^[a-z][a-z0-9-]{0,63}$/u.test(image)) return null;
  return "it is neither a digest (`sha256:` and 64 digits) nor a name of lower-case letters, digits and dashes that `warder image add` prepared";
}

/** What is wrong with a policy's image and what starts it: bubblewrap has neither, and would run without what the policy asks for. */
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
