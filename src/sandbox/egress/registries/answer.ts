import type { IncomingMessage } from "node:http";
import { parseAuthority, type Target } from "../hosts/target.ts";
import { originOf, type RegistryRequest } from "./judge.ts";
import type { NamesBudget } from "./names.ts";
import type { RegistryOrigin } from "./origin.ts";

type Registries = { readonly origins: readonly RegistryOrigin[]; readonly names: NamesBudget };

/**
 * What a registry's answer says of the name that it was asked for. `redirect-refused`: it names an address that is none of the same registry's, and the
 * client is not told of it.
 */
export function lookAt(
  answer: Pick<IncomingMessage, "statusCode" | "headers">,
  { name, origin, isStrangers }: RegistryRequest,
  { target, path, isEncrypted }: { readonly target: Target; readonly path: string; readonly isEncrypted: boolean },
  { registries }: { readonly registries: Registries },
): "not-found" | "redirect-refused" | null {
  const status = answer.statusCode ?? 0;
  const { origins, names } = registries;
  if (status >= 200 && status < 300) {
    if (!isStrangers) names.isThere(name);
    return null;
  }
  if (status < 300 || status >= 400) return "not-found";
  const from = `${isEncrypted ? "https" : "http"}://${target.host}:${String(target.port)}${path}`;
  const other = nameAt(answer.headers.location ?? "", from, origins, origin);
  if (other === null) return "redirect-refused";
  if (!isStrangers) names.isAt(name, other);
  return null;
}

/** The name behind a redirect, where it leads to an address of the same registry. */
function nameAt(location: string, from: string, origins: readonly RegistryOrigin[], { registry }: RegistryOrigin): string | null {
  const url = URL.canParse(location, from) ? new URL(location, from) : null;
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "") return null;
  const isEncrypted = url.protocol === "https:";
  const target = parseAuthority(url.host, isEncrypted ? 443 : 80);
  const found = target === null ? null : originOf(origins, { target, path: url.pathname, isEncrypted });
  return target === null || found === null || found.origin.registry !== registry ? null : `${target.host}:${String(target.port)}${found.path}`;
}
