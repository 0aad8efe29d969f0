import { isHostPattern } from "../policy/matching/hosts.ts";
import { matchesGlob, parseGlob } from "../policy/matching/glob.ts";
import type { Policy } from "../policy/policy.ts";
import type { ServerPlace } from "../policy/request.ts";
import { combinedMapping, type ToolMapping } from "../policy/tool-mapping.ts";
import type { ToolRequest, ToolSetting } from "../tools/contract/tool.ts";
import { isSystemText, MAX_COMMAND_CHARACTERS } from "../tools/contract/command.ts";
import { posix } from "node:path";

export type Mapping = ToolMapping;

type Input = Readonly<Record<string, unknown>>;

const MAX_VALUES = 200;
const MAX_PATH_CHARACTERS = 4_096;

/** Why a call's arguments cannot be judged as the policy wants them to be, in words for a model; null: they can. */
export function mappedFault(mapping: Mapping, input: Input): string | null {
  const paths = Object.keys(mapping.paths).find((key) => valuesOf(input[key])?.every(isPath) !== true);
  if (paths !== undefined) return `${paths} must be an absolute path, or a list of them: the policy judges it`;
  const hosts = mapping.hosts.find((key) => valuesOf(input[key])?.every((value) => placeIn(value) !== null) !== true);
  if (hosts !== undefined) return `${hosts} must be an http or https address, or a host: the policy judges it`;
  const commands = mapping.commands.find((key) => valuesOf(input[key])?.every((value) => isSystemText(value, MAX_COMMAND_CHARACTERS)) !== true);
  return commands === undefined ? null : `${commands} must be the text of a command: the policy judges it`;
}

/** What a policy says that a call does, from its arguments: judged beside its name. `place`: of the server that touches the paths; null: the run does. */
export function mappedRequests(mapping: Mapping, input: Input, { workspace }: ToolSetting, place: ServerPlace | null = null): readonly ToolRequest[] {
  const all = (key: string): readonly string[] => valuesOf(input[key]) ?? [];
  return [
    ...mapping.sends.map((host): ToolRequest => ({ kind: "send", ...(placeIn(host) ?? { host, port: HTTPS }) })),
    ...Object.entries(mapping.paths).flatMap(([key, access]) =>
      all(key).map((value): ToolRequest => {
        const path = posix.normalize(value);
        if (place !== null) return { kind: "server-path", use: access, path, place };
        return access === "write" ? { kind: "write", path } : { kind: "read", path, isRecursive: access === "tree" };
      }),
    ),
    ...mapping.hosts.flatMap((key) => all(key).flatMap((value): readonly ToolRequest[] => withKind(placeIn(value)))),
    ...mapping.commands.flatMap((key) => all(key).map((text): ToolRequest => commandOf(text, workspace, place))),
  ];
}

/** Nobody knows where a server begins: in one of its roots, it is taken, because from `/` more of its paths lead elsewhere. */
function commandOf(text: string, workspace: string, place: ServerPlace | null): ToolRequest {
  return place === null ? { kind: "command", text, cwd: workspace } : { kind: "command", text, cwd: place.roots[0]?.path ?? "/", place };
}

const HTTPS = 443;
const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": HTTPS };

type Place = { readonly host: string; readonly port: number };

const withKind = (place: Place | null): readonly ToolRequest[] => (place === null ? [] : [{ kind: "connect", ...place }]);

/** An absent argument is none. Null: it is no text and no list of texts. */
function valuesOf(value: unknown): readonly string[] | null {
  if (value === undefined) return [];
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  return values.length <= MAX_VALUES && values.every((each) => typeof each === "string") ? values : null;
}

function isPath(value: string): boolean {
  return value.startsWith("/") && isSystemText(value, MAX_PATH_CHARACTERS);
}

function placeIn(value: string): Place | null {
  const url = value.includes("://") ? URL.parse(value) : isHostPattern(value) && !value.includes("*") ? URL.parse(`https://${value}`) : null;
  const port = url === null ? undefined : url.port === "" ? PORTS[url.protocol] : Number(url.port);
  return url === null || port === undefined || url.hostname === "" ? null : { host: url.hostname.replaceAll(/^\[|\]$/gu, ""), port };
}

/** All that a policy says of a tool; null: nothing. */
export function mappingFor({ tools }: Pick<Policy, "tools">, tool: string): Mapping | null {
  const all = (tools.mcp ?? []).filter((each) => matchesGlob(parseGlob(each.tool), tool));
  return all.length === 0 ? null : combinedMapping(all);
}
