/** A part of a JSON Schema, as far as an editor's person is told of it. */
export type SchemaNode = {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly propertyNames?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
};

/** All that may stand at a path: one schema, or each of several. Empty: nothing may. */
export function schemasAt(root: SchemaNode, path: readonly (string | number)[]): readonly SchemaNode[] {
  return path.reduce<readonly SchemaNode[]>((nodes, step) => nodes.flatMap((node) => below(node, step)), alternatives(root));
}

function below(node: SchemaNode, step: string | number): readonly SchemaNode[] {
  if (typeof step === "number") return node.items === undefined ? [] : alternatives(node.items);
  const named = Object.hasOwn(node.properties ?? {}, step) ? node.properties?.[step] : undefined;
  if (named !== undefined) return alternatives(named);
  return typeof node.additionalProperties === "object" ? alternatives(node.additionalProperties) : [];
}

/** A node with its own words on each of its alternatives. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  const { anyOf, ...own } = node;
  return anyOf === undefined ? [node] : anyOf.flatMap((each) => alternatives({ ...own, ...each }));
}

/** The keys that a map may have, each with its schema. */
export function keysOf(nodes: readonly SchemaNode[]): ReadonlyMap<string, SchemaNode> {
  return new Map(
    nodes.flatMap(({ properties = {}, propertyNames, additionalProperties }) => [
      ...Object.entries(properties),
      ...(propertyNames?.enum ?? []).map((name): [string, SchemaNode] => [String(name), typeof additionalProperties === "object" ? additionalProperties : {}]),
    ]),
  );
}

/** The values that are known by name: those of an enumeration, a constant, yes and no. */
export function valuesOf(nodes: readonly SchemaNode[]): readonly string[] {
  return [
    ...new Set(
      nodes.flatMap((node) => [
        ...(node.enum ?? []).map(String),
        ...(node.const === undefined ? [] : [String(node.const)]),
        ...(node.type === "boolean" ? ["true", "false"] : []),
      ]),
    ),
  ];
}

export function descriptionOf(nodes: readonly SchemaNode[]): string {
  return nodes.find(({ description }) => description !== undefined)?.description ?? "";
}
