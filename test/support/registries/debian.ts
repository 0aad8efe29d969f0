import { gzipSync } from "node:zlib";
import { arOf, tarballOf } from "./archives.ts";
import { type Answers, digestOf, type Package, type Places } from "./package.ts";

/** `/usr/share/greeting/text` is `hello`. */
export const DEBIAN_PACKAGES: readonly Package[] = [
  { name: "greeting", version: "1.0.0", needs: { "greeting-words": "1.0.0" }, files: { "./usr/share/greeting/text": "hello\n" } },
  { name: "greeting-words", version: "1.0.0", files: { "./usr/share/greeting-words/text": "hello\n" } },
];

const ARCHITECTURES = ["amd64", "arm64"];

/**
 * An archive with the suite `stable` and the component `main` (https://wiki.debian.org/DebianRepository/Format). Nobody signed it:
 * `deb [trusted=yes] URL stable main`.
 */
export function debianAnswers(_places: Places, packages: readonly Package[] = DEBIAN_PACKAGES): Answers {
  const answers = new Map();
  const stanzas = packages.map(({ name, version, files, needs = {} }) => {
    const depends = Object.entries(needs).map(([needed, least]) => `${needed} (>= ${least})`);
    const control = `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\n${
      depends.length === 0 ? "" : `Depends: ${depends.join(", ")}\n`
    }Description: says hello\n`;
    const deb = arOf({
      "debian-binary": "2.0\n",
      "control.tar.gz": tarballOf({ "./control": control }),
      "data.tar.gz": tarballOf({ ...foldersOf(files), ...files }),
    });
    const path = `pool/main/${name.slice(0, 1)}/${name}/${name}_${version}_all.deb`;
    answers.set(`/${path}`, { type: "application/vnd.debian.binary-package", body: deb });
    return `${control}Filename: ${path}\nSize: ${String(deb.length)}\nSHA256: ${digestOf("sha256", deb)}\n`;
  });
  const text = stanzas.join("\n");
  const sums = ARCHITECTURES.flatMap((architecture) =>
    Object.entries({ Packages: Buffer.from(text), "Packages.gz": gzipSync(text) }).map(([name, body]) => {
      const path = `main/binary-${architecture}/${name}`;
      answers.set(`/dists/stable/${path}`, { type: "application/octet-stream", body });
      return ` ${digestOf("sha256", body)} ${String(body.length)} ${path}\n`;
    }),
  );
  const release = `Origin: Example\nSuite: stable\nCodename: stable\nArchitectures: ${ARCHITECTURES.join(" ")}\nComponents: main\nDate: Mon, 01 Jan 2024 00:00:00 UTC\nSHA256:\n`;
  answers.set("/dists/stable/Release", { type: "text/plain", body: `${release}${sums.join("")}` });
  return answers;
}

/** dpkg makes no directory that the archive does not name. */
function foldersOf(files: Package["files"]): Package["files"] {
  const folders = Object.keys(files).flatMap((path) => [...path.matchAll(/\//gu)].map(({ index }) => path.slice(0, index + 1)));
  return Object.fromEntries([...new Set(folders)].map((folder) => [folder, ""]));
}
