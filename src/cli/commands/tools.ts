import { visibleJson } from "../../base/text.ts";
import { argumentsOf, type ToolArgument } from "../../tools/contract/arguments.ts";
import { needText } from "../../tools/availability.ts";
import { createRegistry } from "../../tools/registry.ts";
import { EXIT } from "../process/exit-code.ts";
import { paint } from "../view/style.ts";

type ShownTool = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly needs: readonly string[];
  readonly arguments: readonly ToolArgument[];
};

/** `warder tools`: what a model may call, each with the arguments that it takes. */
export function tools(options: { readonly json?: boolean }): number {
  const registry = createRegistry();
  const shown = registry.names.flatMap((known): readonly ShownTool[] => {
    const tool = registry.find(known);
    if (tool === undefined) return [];
    const { name, aliases, description, needs = [], schema } = tool;
    return [{ name, aliases, description, needs: needs.map(needText), arguments: argumentsOf(schema) }];
  });
  process.stdout.write(options.json === true ? `${visibleJson({ tools: shown })}\n` : shown.map(textOf).join("\n"));
  return EXIT.done;
}

function textOf({ name, aliases, description, needs, arguments: taken }: ShownTool): string {
  const also = aliases.length === 0 ? "" : paint("dim", `  also ${aliases.join(", ")}`);
  const width = Math.max(0, ...taken.map((argument) => argument.name.length));
  const lines = taken.map((argument) => {
    const kind = paint("dim", `${argument.type}${argument.isRequired ? "" : ", optional"}.`);
    return `  ${argument.name.padEnd(width)}  ${kind} ${argument.description}`;
  });
  const wanted = needs.map((need) => paint("dim", `  Needs ${need}.`));
  return `${[`${paint("bold", name)}${also}`, `  ${description}`, ...wanted, ...(lines.length === 0 ? ["  Takes no arguments."] : lines)].join("\n")}\n`;
}
