import { homedir } from "node:os";
import { join } from "node:path";
import { placeOf, type RegistryClient, textAt } from "./client.ts";

const CENTRAL = "https://repo.maven.apache.org/maven2/";

/** How this account's Maven reaches its repositories: mirrors and repositories of its settings (https://maven.apache.org/settings.html). */
export function mavenClient(): RegistryClient {
  const { MAVEN_HOME, M2_HOME } = process.env;
  const shared = join(MAVEN_HOME ?? M2_HOME ?? "/usr/share/maven", "conf/settings.xml");
  const texts = [join(homedir(), ".m2/settings.xml"), shared].map((file) => (textAt(file) ?? "").replaceAll(/<!--[\s\S]*?-->/gu, ""));
  const mirror = texts.flatMap((text) => blocksOf(text, "mirror")).find((block) => /^(?:\*|external:\*|central)(?:,|$)/u.test(fieldOf(block, "mirrorOf")));
  const urls =
    mirror === undefined
      ? [CENTRAL, ...texts.flatMap((text) => ["repository", "pluginRepository"].flatMap((tag) => blocksOf(text, tag).map((block) => fieldOf(block, "url"))))]
      : [fieldOf(mirror, "url")];
  const places = [...new Set(urls)].flatMap((text) => placeOf(text) ?? []);
  const [first] = places;
  return {
    registry: "maven",
    places,
    env: {},
    ...(first === undefined ? {} : { homeFiles: { ".m2/settings.xml": settingsFor(first.url) } }),
    trusted: [],
  };
}

const blocksOf = (text: string, tag: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "gu"))].map(([, block = ""]) => block);

const fieldOf = (block: string, tag: string): string => new RegExp(`<${tag}>\\s*([^<]*?)\\s*</${tag}>`, "u").exec(block)?.[1] ?? "";

/** Maven 3.8 and later block plain HTTP but for what is named here. */
function settingsFor({ href }: URL): string {
  const url = href.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<settings><mirrors><mirror><id>warder</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror></mirrors></settings>\n`;
}
