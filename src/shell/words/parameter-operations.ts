import type { ParameterOperation, WordNode } from "../text/parse.ts";

/**
 * What an operation makes of a variable's known value (`${file%.txt}`), or null when it is not exact here:
 * only plain operands are, and patterns of nothing but `*` and plain text.
 */
export function applyOperation(value: string, operation: ParameterOperation): string | null {
  switch (operation.type) {
    case "Default":
      return applyDefault(value, operation.operator, operation.operand);
    case "Remove":
      return isSimple(value, operation.operand.text) ? remove(value, operation.operator, operation.operand.text) : null;
    case "Slice":
      return slice(value, operation.offset.text, operation.length?.text);
    case "CaseModification":
      return operation.operand === undefined && ASCII.test(value) ? changeCase(value, operation.operator) : null;
    case "Replace":
      return replace(value, operation);
    case "Transform":
    case "Names":
    case "Unknown":
      return null;
  }
}

const PLAIN = /^[\w./:=@%-]*$/;
const PATTERN = /^[\w./:=@%*-]+$/;
const ASCII = /^[\u0020-\u007e]*$/;

/** A number behind a zero is octal to bash. */
const DECIMAL = /^(?:0|[1-9]\d{0,5})$/;

/** A pattern that is matched in no time, whatever the value is. */
function isSimple(value: string, pattern: string): boolean {
  return PATTERN.test(pattern) && value.length <= 256 && pattern.length <= 64 && pattern.split("*").length <= 3;
}

function applyDefault(value: string, operator: string, operand: WordNode): string | null {
  const isMissing = operator.startsWith(":") && value === "";
  const isAlternative = operator.endsWith("+");
  if (isMissing !== isAlternative) return operator.endsWith("?") || !PLAIN.test(operand.text) ? null : operand.text;
  return isAlternative ? "" : value;
}

/** `#` and `%` take the shortest match away, `##` and `%%` the longest. */
function remove(value: string, operator: string, pattern: string): string {
  const matcher = new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, (character) => (character === "*" ? "[^]*" : `\\${character}`))}$`);
  const isPrefix = operator.startsWith("#");
  const isLongest = operator.length === 2;
  for (let step = 0; step <= value.length; step += 1) {
    const length = isLongest ? value.length - step : step;
    const part = isPrefix ? value.slice(0, length) : value.slice(value.length - length);
    if (matcher.test(part)) return isPrefix ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}

function slice(value: string, offset: string, length: string | undefined): string | null {
  if (!DECIMAL.test(offset) || !ASCII.test(value)) return null;
  if (length === undefined) return value.slice(Number(offset));
  return DECIMAL.test(length) ? value.slice(Number(offset), Number(offset) + Number(length)) : null;
}

function changeCase(value: string, operator: string): string {
  const change = (text: string): string => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

function replace(value: string, operation: ParameterOperation & { readonly type: "Replace" }): string | null {
  const [pattern, replacement] = [operation.pattern.text, operation.replacement.text];
  if (pattern === "" || !PLAIN.test(pattern) || !PLAIN.test(replacement)) return null;
  if (operation.operator === "//") return value.replaceAll(pattern, () => replacement);
  return operation.operator === "/" ? value.replace(pattern, () => replacement) : null;
}
