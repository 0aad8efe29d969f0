import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentError } from "../../base/errors.ts";
import type { AgentName } from "../../foreign/dialects.ts";
import { policyPath } from "../../config/policy/files.ts";
import { loadPolicy } from "../../config/policy/load.ts";
import { shippedNames } from "../../config/shipped-policies.ts";
import { closingLine, INSTALLATIONS, watchingLine, type Installation, linesIn, withHook, withoutHook } from "../../foreign/installation.ts";
import { describeChange } from "../../tools/files/diff.ts";
import { realDirectory } from "../setup/context.ts";
import { type Configuration, configurationPath, configurationText, readConfiguration, writeConfiguration } from "./configuration.ts";

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
  const named = policyPath(policy, process.cwd());
  loadPolicy(named, { workspace: realDirectory(project ?? process.cwd()) });
  const words = [
    agent,
    ...(policy === DEFAULT_POLICY ? [] : ["--policy", shippedNames().includes(policy) ? policy : named]),
    ...(isShadow ? ["--shadow"] : []),
  ];
  const line = isShadow ? watchingLine(ownCommand(), words) : closingLine(ownCommand(), words);
  return planned(agent, project, (configuration, installation) => withHook(configuration.value, agent, installation, line));
}

/** Plans to take the hook out again; everything else of the file stays. */
export function planUninstall(agent: AgentName, project: string | null): PlannedChange {
  return planned(agent, project, (configuration, installation) => withoutHook(configuration.value, agent, installation));
}

/** The command lines of the hook where they may stand: the person's own, and the project's. */
export function installedLines(agent: AgentName, project: string): readonly { readonly path: string; readonly line: string }[] {
  const installation: Installation = INSTALLATIONS[agent];
  return [configurationPath(installation, null), configurationPath(installation, project)].flatMap((path) =>
    linesIn(readConfiguration(path).value, agent, installation).map((line) => ({ path, line })),
  );
}

function planned(
  agent: AgentName,
  project: string | null,
  change: (configuration: Configuration, installation: Installation) => Configuration["value"] | null,
): PlannedChange {
  const installation: Installation = INSTALLATIONS[agent];
  const configuration = readConfiguration(configurationPath(installation, project === null ? null : realDirectory(project)));
  const value = change(configuration, installation);
  if (value === null)
    throw new AgentError("bad-configuration", `${configuration.path} cannot be changed: its hooks are not of the form that this agent documents.`, {
      remedy: "Add the hook by hand: docs/agents has the lines.",
    });
  const isSame = value === configuration.value;
  const text = isSame ? configuration.text : configurationText(configuration, value);
  const diff = text === configuration.text ? "" : describeChange(configuration.text ?? "", text ?? "");
  return {
    path: configuration.path,
    diff,
    notes: installation.notes,
    make: () => {
      if (diff !== "") writeConfiguration(configuration, text);
    },
  };
}

/** How this Warder is started from anywhere. */
function ownCommand(): string {
  const inCheckout = join(fileURLToPath(new URL("../../..", import.meta.url)), "bin", "warder");
  return existsSync(inCheckout) ? inCheckout : (process.argv[1] ?? "warder");
}
