import { homedir } from "node:os";
import { join } from "node:path";
import { linesOf, placeOf, type RegistryClient } from "./client.ts";

const INDEX = "https://pypi.org/simple/";
/** Where the index names its files: https://docs.pypi.org/api/ */
const FILES = "https://files.pythonhosted.org/";

/** How this account's pip reaches its indexes: variables before files, the nearer file before the farther (https://pip.pypa.io/en/stable/topics/configuration/). */
export function pypiClient(): RegistryClient {
  const settings = settingsOf(process.env);
  const listed = (name: string): readonly string[] => (process.env[`PIP_${name.toUpperCase().replaceAll("-", "_")}`] ?? settings.get(name) ?? "").split(/\s+/u);
  const index = listed("index-url").find((text) => text !== "") ?? INDEX;
  // What lies on this machine (`file:`) no command inside sees.
  const places = [index, ...listed("extra-index-url")].flatMap((text) => placeOf(text) ?? []);
  const [first, ...others] = places.map(({ url }) => url);
  const files = places.some(({ url }) => url.hostname === "pypi.org") ? [{ url: new URL(FILES), login: null, hasFilesAlone: true as const }] : [];
  const plain = places.filter(({ url }) => url.protocol === "http:").map(({ url }) => url.host);
  return {
    registry: "pypi",
    places: [...places, ...files],
    env: {
      ...(first === undefined ? {} : { PIP_INDEX_URL: first.href, UV_DEFAULT_INDEX: first.href }),
      ...(others.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: others.map(({ href }) => href).join(" "), UV_INDEX: others.map(({ href }) => href).join(" ") }),
      ...(plain.length === 0 ? {} : { PIP_TRUSTED_HOST: plain.join(" ") }),
      PIP_NO_INPUT: "1",
    },
    trusted: [],
  };
}

function settingsOf(environment: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  const home = homedir();
  const own = environment["PIP_CONFIG_FILE"];
  const shared = (environment["XDG_CONFIG_DIRS"] ?? "/etc/xdg").split(":").map((folder) => join(folder, "pip/pip.conf"));
  const config = join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "pip/pip.conf");
  const files = [...shared, "/etc/pip.conf", join(home, ".pip/pip.conf"), config, ...(own === undefined ? [] : [own])];
  const settings = new Map<string, string>();
  for (const file of own === "/dev/null" ? [] : files) {
    let section = "";
    let key = "";
    for (const line of linesOf(file)) {
      const [, name] = /^\[(.+)\]\s*$/u.exec(line) ?? [];
      if (name !== undefined) section = name;
      const [, said, value] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*?)\s*$/u.exec(line) ?? [];
      if (said !== undefined) key = said.toLowerCase().replaceAll("_", "-");
      // A value goes on in lines that are indented.
      const more = said === undefined && /^\s+\S/u.test(line) ? line.trim() : null;
      if (section !== "global" && section !== "install") continue;
      if (value !== undefined) settings.set(key, value);
      else if (more !== null && key !== "") settings.set(key, `${settings.get(key) ?? ""} ${more}`.trim());
    }
  }
  return settings;
}
