import type { RegistryName } from "../../policy/network.ts";
import type { SimpleCommand } from "../../shell/model/model.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

type Fetcher = { readonly verbs: ReadonlySet<string>; /** Null: one that no policy can open for reading alone. */ readonly registry: RegistryName | null };

/** Verbs of package managers that fetch, by registry and program. What may do without (`npx` of an installed program, `npm ci` from a cache) is told as likely. */
const VERBS: readonly (readonly [RegistryName | null, Readonly<Record<string, string>>])[] = [
  [
    "npm",
    {
      npm: "install i add ci update up upgrade install-test it install-ci-test cit create init",
      pnpm: "install i add update up upgrade dlx create import fetch",
      yarn: "install add up upgrade dlx create",
      bun: "install i add update create",
    },
  ],
  ["pypi", { pip: "install download wheel", pip3: "install download wheel", uv: "sync add lock", poetry: "install add update lock" }],
  ["crates", { cargo: "install add update fetch" }],
  ["go", { go: "get install" }],
  ["debian", { apt: "install update upgrade", "apt-get": "install update upgrade dist-upgrade" }],
  [
    null,
    {
      gem: "install update",
      bundle: "install update add",
      composer: "install require update create-project",
      apk: "add update upgrade",
      brew: "install update upgrade",
    },
  ],
];

const FETCHING: ReadonlyMap<string, Fetcher> = new Map(
  VERBS.flatMap(([registry, programs]) => Object.entries(programs).map(([program, verbs]) => [program, { verbs: new Set(verbs.split(" ")), registry }])),
);

/** Why a yes would come to nothing: a command that fetches packages where its sandbox reaches none of them. Null: no reason is known. */
export function whyPointless({ judgement, gate }: RuledCall): string | null {
  const { network } = gate.parts.session.profile.settings;
  if (network.allow.length > 0) return null;
  const open = (network.registries ?? []).map(({ name }) => name);
  const reach = open.length === 0 ? "this sandbox has no network" : `this sandbox reads packages of ${open.join(", ")} alone`;
  for (const request of judgement.call.requests) {
    for (const simple of request.kind === "command" ? request.analysis.simples : []) {
      const found = fetches(simple);
      if (found === null || (found.registry !== null && open.includes(found.registry))) continue;
      const remedy = found.registry === null ? "sandbox.network.allow" : `sandbox.network.registries: [${found.registry}]`;
      return `${reach}, and \`${found.words}\` fetches ${open.length === 0 ? "packages" : "others"}. That is opened in the policy: ${remedy}`;
    }
  }
  return null;
}

function fetches({ program, argv }: SimpleCommand): { readonly words: string; readonly registry: RegistryName | null } | null {
  const name = program?.slice(program.lastIndexOf("/") + 1) ?? "";
  const fetcher = FETCHING.get(name);
  const verb = argv.slice(1).find((word) => word.kind === "literal" && !word.value.startsWith("-"));
  return fetcher !== undefined && verb?.kind === "literal" && fetcher.verbs.has(verb.value)
    ? { words: `${name} ${verb.value}`, registry: fetcher.registry }
    : null;
}
