const MAX_QUOTED_BYTES = 1024;
const MAX_DEPTH = 64;

export type ParsedArguments = { readonly kind: "parsed"; readonly input: unknown } | { readonly kind: "malformed"; readonly message: string };

/**
 * The arguments as a model wrote them. An empty text means none; what is no JSON is explained and quoted, at most
 * 1 KiB of it. JSON that has no canonical form (half of a surrogate pair, a number beyond a double) cannot be bound
 * to a decision, so it is malformed too.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { kind: "parsed", input: {} };
  try {
    const input: unknown = JSON.parse(text);
    const problem = findProblem(input, 0);
    return problem === null ? { kind: "parsed", input } : malformed(problem, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return malformed(error.message, text);
  }
}

function malformed(problem: string, text: string): ParsedArguments {
  const quoted = Buffer.from(text)
    .subarray(0, MAX_QUOTED_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "");
  return { kind: "malformed", message: `The arguments are no valid JSON. Nothing was run; send the call again.\n${problem}\nReceived: ${quoted}` };
}

function findProblem(value: unknown, depth: number): string | null {
  if (depth > MAX_DEPTH) return `They are nested deeper than ${MAX_DEPTH} levels.`;
  if (typeof value === "string") return value.isWellFormed() ? null : "A text holds half of a surrogate pair.";
  if (typeof value === "number") return Number.isFinite(value) ? null : "A number is too large.";
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const problem = findProblem(key, depth) ?? findProblem(inner, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
