import { zipOf } from "./archives.ts";
import { type Answers, digestOf, type Package, type Places } from "./package.ts";

/** `GROUP:ARTIFACT`; a package without files is a parent's POM. The jars hold texts and no classes: `greeting/text` is `hello`. */
export const MAVEN_ARTIFACTS: readonly Package[] = [
  { name: "org.example:parent", version: "1.0.0", files: {} },
  { name: "org.example:greeting", version: "1.0.0", needs: { "org.example:words": "1.0.0" }, files: { "greeting/text": "hello\n" } },
  { name: "org.example:words", version: "1.0.0", files: { "words/text": "hello\n" } },
  // Maven 3 adds it to whatever a build is extended with, and only its presence counts here.
  { name: "org.codehaus.plexus:plexus-utils", version: "1.1", files: { "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n" } },
];

/** The layout of a repository (https://maven.apache.org/repository/layout.html): POM, jar, metadata, and a checksum beside each. */
export function mavenAnswers(_places: Places, artifacts: readonly Package[] = MAVEN_ARTIFACTS): Answers {
  const answers = new Map();
  const add = (path: string, type: string, body: string | Buffer): void => {
    answers.set(path, { type, body });
    for (const algorithm of ["sha1", "md5"]) answers.set(`${path}.${algorithm}`, { type: "text/plain", body: digestOf(algorithm, body) });
  };
  for (const { name, version, files, needs = {} } of artifacts) {
    const [group = "", artifact = ""] = name.split(":");
    const folder = `/${group.replaceAll(".", "/")}/${artifact}`;
    const isParent = Object.keys(files).length === 0;
    const dependencies = Object.entries(needs).map(([needed, exact]) => {
      const [ofGroup = "", ofArtifact = ""] = needed.split(":");
      return `<dependency><groupId>${ofGroup}</groupId><artifactId>${ofArtifact}</artifactId><version>${exact}</version></dependency>`;
    });
    const coordinates = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
    const packaging = isParent ? "<packaging>pom</packaging>" : "";
    const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${coordinates}${packaging}<dependencies>${dependencies.join("")}</dependencies></project>\n`;
    add(`${folder}/${version}/${artifact}-${version}.pom`, "text/xml", pom);
    if (!isParent) add(`${folder}/${version}/${artifact}-${version}.jar`, "application/java-archive", zipOf(files));
    const versions = `<latest>${version}</latest><release>${version}</release><versions><version>${version}</version></versions>`;
    const versioning = `<versioning>${versions}<lastUpdated>20240101000000</lastUpdated></versioning>`;
    add(`${folder}/maven-metadata.xml`, "text/xml", `<metadata><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${versioning}</metadata>\n`);
  }
  return answers;
}
