import { homedir } from "node:os";
import { join } from "node:path";
import { linesOf, placeOf, type RegistryClient } from "./client.ts";

const PROXY = "https://proxy.golang.org";
const CHECKSUMS = "sum.golang.org";
/** Which checksums are asked for, and where: they go inside as they are. */
const SUMS = ["GOSUMDB", "GONOSUMDB", "GONOSUMCHECK"];

/** How this account's go reaches its module proxies: variables before the file of `go env -w` (https://go.dev/ref/mod#environment-variables). */
export function goClient(): RegistryClient {
  const { GOENV, XDG_CONFIG_HOME } = process.env;
  const file = GOENV ?? join(XDG_CONFIG_HOME ?? join(homedir(), ".config"), "go/env");
  const written = new Map(
    linesOf(file === "off" ? "" : file).flatMap((line): readonly (readonly [string, string])[] => {
      const [, name, value] = /^([A-Z0-9]+)=(.*)$/u.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
  const said = (name: string): string => process.env[name] ?? written.get(name) ?? "";
  // `direct` would be any host that a module's name says.
  const proxies = (said("GOPROXY") === "" ? PROXY : said("GOPROXY"))
    .split(/[,|]/u)
    .map((text) => text.trim())
    .flatMap((text) => placeOf(text) ?? []);
  const isSummed = said("GOSUMDB") === "" || said("GOSUMDB") === CHECKSUMS;
  const sums = SUMS.flatMap((name): readonly (readonly [string, string])[] => (said(name) === "" ? [] : [[name, said(name)]]));
  return {
    registry: "go",
    places: [...proxies, ...(isSummed ? [{ url: new URL(`https://${CHECKSUMS}/`), login: null }] : [])],
    env: { GOPROXY: proxies.length === 0 ? "off" : proxies.map(({ url }) => url.href).join(","), ...Object.fromEntries(sums) },
    trusted: [],
  };
}
