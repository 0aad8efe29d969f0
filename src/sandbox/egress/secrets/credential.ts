import type { Credential, NetworkSettings } from "../../../policy/network.ts";

/** A credential on its way into a request. */
export type CredentialUse = { readonly credential: string; readonly host: string; readonly port: number; readonly method: string; readonly path: string };

/** The headers that carry these credentials, as pairs. `secrets`: values by id. */
export function credentialHeaders(
  credentials: readonly Pick<Credential, "id" | "header">[],
  secrets: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  return credentials.map(({ id, header }) => {
    const secret = secrets.get(id);
    if (secret === undefined) throw new Error(`The value of the credential ${id} is not there.`);
    const value = header.value
      .replace("{secret}", () => secret)
      .replace(/\{basic ([^}]*)\}/u, (_whole, user: string) => Buffer.from(`${user}:${secret}`, "latin1").toString("base64"));
    return [header.name, value];
  });
}

/** The same network for who has no credential: what would take one is refused as before, and nothing is added to the rest. */
export function withoutCredentials({ credentials, ...network }: NetworkSettings): NetworkSettings {
  return credentials === undefined ? network : { ...network, credentials: credentials.map((credential) => ({ ...credential, methods: [] })) };
}
