import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentError } from "../../base/errors.ts";
import type { AgentName } from "../../foreign/dialects.ts";
import { shippedNames } from "../../config/shipped-policies.ts";
import { closingLine, watchingLine } from "../../foreign/hook-line.ts";
import { type HookLine, installationOf, type OwnForm, type PluginForm, type SharedForm } from "../../foreign/installation.ts";
import { linesIn, linesInText, withHook, withoutHook } from "../../foreign/shared-configuration.ts";
import { describeChange } from "../../tools/files/diff.ts";
import { readContext, realDirectory } from "../setup/context.ts";
import { type Configuration, configurationPath, configurationText, readConfiguration, writeConfiguration } from "./configuration.ts";
import { pluginText } from "./plugin-text.ts";

export type InstallOptions = {
  /** Null: the person's own configuration. */
  readonly project: string | null;
  readonly policy: string;
  readonly isShadow: boolean;
};

const DEFAULT_POLICY = "supervised";

/** A change of an agent's configuration that is planned and not made. */
export type PlannedChange = {
  readonly path: string;
  /** As a diff; empty: it is as it should be. */
  readonly diff: string;
  readonly notes: readonly string[];
  readonly make: () => void;
};

/** Plans to have an agent ask Warder before each of its calls. A hook of Warder's that is there already is replaced. Throws `bad-configuration`. */
export function planInstall(agent: AgentName, { project, policy, isShadow }: InstallOptions): PlannedChange {
  // The agent starts it in any directory; and a policy that cannot be loaded would only be told with its first call.
  const { policyNamed: named } = readContext(policy, project ?? process.cwd());
  const words = [
    agent,
    ...(policy === DEFAULT_POLICY ? [] : ["--policy", shippedNames().includes(policy) ? policy : named]),
    ...(isShadow ? ["--shadow"] : []),
  ];
  const line = isShadow ? watchingLine(ownCommand(), words) : closingLine(ownCommand(), words);
  return planned(agent, project, { line, isShadow });
}

/** Plans to take the hook out again; everything else of the file stays. */
export function planUninstall(agent: AgentName, project: string | null): PlannedChange {
  return planned(agent, project, null);
}

/** A line of the hook where it stands. `isWhole`: what is around it is as Warder writes it, where the file is the hook's alone. */
export type InstalledLine = { readonly path: string; readonly line: string; readonly isWhole: boolean };

/** The command lines of the hook where they may stand: the person's own, and the project's. */
export function installedLines(agent: AgentName, project: string): readonly InstalledLine[] {
  const installation = installationOf(agent);
  if (installation === null) return [];
  const { form } = installation;
  return [configurationPath(installation, null), configurationPath(installation, project)].flatMap((path) => {
    if (form.kind === "shared") return linesIn(readConfiguration(path).value, agent, form).map((line) => ({ path, line, isWhole: true }));
    const text = textOf(path);
    const isAsWritten = (line: string): boolean => [true, false].some((isShadow) => ownText(form, { line, isShadow }) === text);
    return linesInText(text ?? "", agent).map((line) => ({ path, line, isWhole: isAsWritten(line) }));
  });
}

/** `line` null: the hook is taken out. */
function planned(agent: AgentName, project: string | null, line: HookLine | null): PlannedChange {
  const installation = installationOf(agent);
  if (installation === null)
    throw new AgentError("usage", "VS Code has no configuration of its own for hooks: it reads those of Copilot and of Claude Code.", {
      remedy: "Install one of them: warder hook install copilot",
    });
  const path = configurationPath(installation, project === null ? null : realDirectory(project));
  const { form } = installation;
  const { configuration, text } = form.kind === "shared" ? changedShared(path, agent, form, line) : changedOwn(path, agent, form, line);
  const diff = text === configuration.text ? "" : describeChange(configuration.text ?? "", text ?? "");
  return {
    path,
    diff,
    notes: installation.notes,
    make: () => {
      if (diff !== "") writeConfiguration(configuration, text);
    },
  };
}

type Changed = { readonly configuration: Configuration; readonly text: string | null };

/** A file that is the hook's alone, as it is and as it shall be. One that is of somebody else is not touched. */
function changedOwn(path: string, agent: AgentName, form: OwnForm | PluginForm, line: HookLine | null): Changed {
  const text = textOf(path);
  if (text !== null && linesInText(text, agent).length === 0)
    throw new AgentError("bad-configuration", `${path} cannot be changed: it is none that Warder has written.`, { remedy: "Move it away, and try again." });
  return { configuration: { path, text, value: {} }, text: line === null ? null : ownText(form, line) };
}

function ownText(form: OwnForm | PluginForm, line: HookLine): string {
  return form.kind === "plugin" ? pluginText(form.agent, line) : form.text(line);
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function changedShared(path: string, agent: AgentName, form: SharedForm, line: HookLine | null): Changed {
  const configuration = readConfiguration(path);
  const value = line === null ? withoutHook(configuration.value, agent, form) : withHook(configuration.value, agent, form, line);
  if (value === null)
    throw new AgentError("bad-configuration", `${path} cannot be changed: its hooks are not of the form that this agent documents.`, {
      remedy: "Add the hook by hand: docs/agents has the lines.",
    });
  return { configuration, text: value === configuration.value ? configuration.text : configurationText(configuration, value) };
}

/** How this Warder is started from anywhere. */
function ownCommand(): string {
  const inCheckout = join(fileURLToPath(new URL("../../..", import.meta.url)), "bin", "warder");
  return existsSync(inCheckout) ? inCheckout : (process.argv[1] ?? "warder");
}
