import { zipOf } from "./archives.ts";
import type { Answers, Package, Places } from "./package.ts";

/** `greeting.Text` is `"hello"`. A capital letter in a module's path is written as an escape. */
export const GO_MODULES: readonly Package[] = [
  {
    name: "example.org/greeting",
    version: "v1.0.0",
    needs: { "example.org/Words": "v1.0.0" },
    files: { "greeting.go": 'package greeting\n\nimport words "example.org/Words"\n\nvar Text = words.Text\n' },
  },
  { name: "example.org/Words", version: "v1.0.0", files: { "words.go": 'package words\n\nvar Text = "hello"\n' } },
];

/** What a module proxy answers (https://go.dev/ref/mod#goproxy-protocol). It has no database of checksums: clients need GONOSUMDB or GOSUMDB=off. */
export function goAnswers(_places: Places, modules: readonly Package[] = GO_MODULES): Answers {
  const answers = new Map();
  for (const { name, version, files, needs = {} } of modules) {
    const requires = Object.entries(needs).map(([needed, exact]) => `require ${needed} ${exact}\n`);
    const manifest = `module ${name}\n\ngo 1.17\n\n${requires.join("")}`;
    const packed = Object.fromEntries(Object.entries({ "go.mod": manifest, ...files }).map(([path, content]) => [`${name}@${version}/${path}`, content]));
    const at = `/${name.replaceAll(/[A-Z]/gu, (letter) => `!${letter.toLowerCase()}`)}`;
    const info = { type: "application/json", body: JSON.stringify({ Version: version, Time: "2024-01-01T00:00:00Z" }) };
    answers.set(`${at}/@latest`, info);
    answers.set(`${at}/@v/list`, { type: "text/plain", body: `${version}\n` });
    answers.set(`${at}/@v/${version}.info`, info);
    answers.set(`${at}/@v/${version}.mod`, { type: "text/plain", body: manifest });
    answers.set(`${at}/@v/${version}.zip`, { type: "application/zip", body: zipOf(packed) });
  }
  return answers;
}
