import { zipOf } from "./archives.ts";
import { type Answers, digestOf, type Package, type Places } from "./package.ts";

/** `import greeting; greeting.TEXT` is `"hello"`. */
export const PYPI_PACKAGES: readonly Package[] = [
  { name: "greeting", version: "1.0.0", needs: { "greeting-words": "1.0.0" }, files: { "greeting/__init__.py": "from greeting_words import TEXT\n" } },
  { name: "greeting-words", version: "1.0.0", files: { "greeting_words/__init__.py": 'TEXT = "hello"\n' } },
];

/** The simple index with a wheel for each package (https://packaging.python.org/en/latest/specifications/simple-repository-api/), and its metadata beside it. */
export function pypiAnswers({ archives }: Places, packages: readonly Package[] = PYPI_PACKAGES): Answers {
  const answers = new Map();
  for (const { name, version, files, needs = {} } of packages) {
    const stem = `${name.replaceAll("-", "_")}-${version}`;
    const requires = Object.entries(needs).map(([needed, exact]) => `Requires-Dist: ${needed}==${exact}\n`);
    const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires.join("")}`;
    const content = {
      ...files,
      [`${stem}.dist-info/METADATA`]: metadata,
      [`${stem}.dist-info/WHEEL`]: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    };
    const record = `${stem}.dist-info/RECORD`;
    const wheel = zipOf({ ...content, [record]: [...Object.keys(content), record].map((path) => `${path},,\n`).join("") });
    const path = `/packages/${stem}-py3-none-any.whl`;
    const link = `${archives}${path}#sha256=${digestOf("sha256", wheel)}`;
    const body = `<!DOCTYPE html><a href="${link}" data-core-metadata="sha256=${digestOf("sha256", metadata)}">${stem}-py3-none-any.whl</a>\n`;
    answers.set(path, { type: "application/octet-stream", body: wheel });
    answers.set(`${path}.metadata`, { type: "text/plain", body: metadata });
    answers.set(`/simple/${name}/`, { type: "text/html", body });
  }
  return answers;
}
