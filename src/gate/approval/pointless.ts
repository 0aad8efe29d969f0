import type { SimpleCommand } from "../../shell/model/model.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** Verbs of package managers that fetch, by program. What may do without (`npx` of an installed program, `npm ci` from a cache) is told as likely. */
const FETCHING: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: "install i add ci update up upgrade install-test it install-ci-test cit create init",
    pnpm: "install i add update up upgrade dlx create import fetch",
    yarn: "install add up upgrade dlx create",
    bun: "install i add update create",
    pip: "install download wheel",
    pip3: "install download wheel",
    uv: "sync add lock",
    poetry: "install add update lock",
    cargo: "install add update fetch",
    go: "get install",
    gem: "install update",
    bundle: "install update add",
    composer: "install require update create-project",
    apt: "install update upgrade",
    "apt-get": "install update upgrade dist-upgrade",
    apk: "add update upgrade",
    brew: "install update upgrade",
  }).map(([program, verbs]) => [program, new Set(verbs.split(" "))]),
);

/** Why a yes would come to nothing: a command that fetches packages in a sandbox without a network. Null: no reason is known. */
export function whyPointless({ judgement, gate }: RuledCall): string | null {
  const { settings } = gate.parts.session.profile;
  if (settings.network.allow.length > 0) return null;
  for (const request of judgement.call.requests) {
    const found = request.kind === "command" ? request.analysis.simples.map(fetches).find((verb) => verb !== null) : undefined;
    if (found !== undefined && found !== null)
      return `this sandbox has no network, and \`${found}\` fetches packages. Hosts are opened in the policy: sandbox.network.allow`;
  }
  return null;
}

function fetches({ program, argv }: SimpleCommand): string | null {
  const name = program?.slice(program.lastIndexOf("/") + 1) ?? "";
  const verbs = FETCHING.get(name);
  const verb = argv.slice(1).find((word) => word.kind === "literal" && !word.value.startsWith("-"));
  return verbs !== undefined && verb?.kind === "literal" && verbs.has(verb.value) ? `${name} ${verb.value}` : null;
}
