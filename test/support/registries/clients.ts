import type { ServedKind } from "./registry.ts";

/** A program that fetches something, as a person would have it fetch from a registry of these tests. */
export type Client = {
  readonly name: string;
  readonly registry: ServedKind;
  /** Whether Warder's own image has it; else only the image of `npm run soak -- clients`. */
  readonly isInImage: boolean;
  /** A bash script that fetches from there, and prints what it got. */
  readonly script: (url: string) => string;
  /** In what it prints. */
  readonly prints: RegExp;
};

const MAVEN_POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0.0</version></parent>
<artifactId>app</artifactId><version>1.0.0</version><packaging>pom</packaging>
<build><extensions><extension><groupId>org.example</groupId><artifactId>greeting</artifactId><version>1.0.0</version></extension></extensions></build></project>`;

const APT =
  "-o Dir::State=/tmp/d -o Dir::State::status=/tmp/d/status -o Dir::Cache=/tmp/d -o Dir::Etc::SourceList=/tmp/d/sources -o Dir::Etc::SourceParts=/tmp/d/none";

export const CLIENTS: readonly Client[] = [
  {
    name: "curl",
    registry: "pypi",
    isInImage: true,
    script: (url) => `curl -sSf ${url}/simple/greeting/`,
    prints: /greeting-1\.0\.0/u,
  },
  {
    name: "git",
    registry: "git",
    isInImage: true,
    script: (url) => `git clone --quiet ${url}/repository.git /tmp/cloned && cat /tmp/cloned/read-me`,
    prints: /^cloned$/mu,
  },
  {
    name: "Node.js's fetch",
    registry: "npm",
    isInImage: true,
    script: (url) => `node -e 'fetch("${url}/greeting").then((answer) => { if (!answer.ok) throw new Error("no"); return answer.text(); }).then(console.log)'`,
    prints: /"name":"greeting"/u,
  },
  {
    name: "npm",
    registry: "npm",
    isInImage: true,
    script: (url) => `mkdir /tmp/n && cd /tmp/n && npm install --registry=${url}/ greeting && node node_modules/greeting/greet.js`,
    prints: /^hello$/mu,
  },
  {
    name: "Python's urllib",
    registry: "pypi",
    isInImage: true,
    script: (url) => `python3 -c 'import urllib.request as u; print(u.urlopen("${url}/simple/greeting/").read())'`,
    prints: /greeting-1\.0\.0/u,
  },
  {
    name: "apt",
    registry: "debian",
    isInImage: true,
    // It tries again by itself, for seven seconds, and has no variable for that.
    script: (url) => `mkdir -p /tmp/d/{lists/partial,archives/partial,none} && cd /tmp/d && : >status && echo "deb [trusted=yes] ${url} stable main" >sources
apt-get ${APT} -o Acquire::Retries=0 update && apt-get ${APT} --yes --download-only install greeting && dpkg-deb --fsys-tarfile archives/greeting_*.deb | tar -xO ./usr/share/greeting/text`,
    prints: /^hello$/mu,
  },
  {
    name: "wget",
    registry: "pypi",
    isInImage: false,
    script: (url) => `wget -nv -O - ${url}/simple/greeting/`,
    prints: /greeting-1\.0\.0/u,
  },
  {
    name: "Python's requests",
    registry: "pypi",
    isInImage: false,
    script: (url) => `python3 -c 'import requests as r; answer = r.get("${url}/simple/greeting/"); answer.raise_for_status(); print(answer.text)'`,
    prints: /greeting-1\.0\.0/u,
  },
  {
    name: "pip",
    registry: "pypi",
    isInImage: false,
    script: (url) =>
      `python3 -m pip install --target /tmp/p --index-url ${url}/simple ${url.startsWith("http:") ? `--trusted-host ${new URL(url).hostname}` : ""} greeting && PYTHONPATH=/tmp/p python3 -c 'import greeting; print(greeting.TEXT)'`,
    prints: /^hello$/mu,
  },
  {
    name: "cargo",
    registry: "crates",
    isInImage: false,
    script: (url) => `mkdir -p /tmp/r/src /tmp/r/.cargo && cd /tmp/r && export CARGO_HOME=/tmp/c
printf '[package]\\nname = "app"\\nversion = "0.1.0"\\nedition = "2021"\\n[dependencies]\\ngreeting = "1"\\n' >Cargo.toml
printf '[source.crates-io]\\nreplace-with = "here"\\n[source.here]\\nregistry = "sparse+${url}/"\\n' >.cargo/config.toml
echo 'fn main() { println!("{}", greeting::TEXT); }' >src/main.rs && cargo run`,
    prints: /^hello$/mu,
  },
  {
    name: "Go",
    registry: "go",
    isInImage: false,
    script: (url) => `mkdir /tmp/g && cd /tmp/g && export GOPATH=/tmp/gp GOCACHE=/tmp/gc GONOSUMDB='*' GOPROXY=${url}
printf 'module app\\n\\ngo 1.17\\n' >go.mod && printf 'package main\\n\\nimport "example.org/greeting"\\n\\nfunc main() { println(greeting.Text) }\\n' >main.go
go get example.org/greeting@latest && go run . 2>&1`,
    prints: /^hello$/mu,
  },
  {
    name: "Java's own clients",
    registry: "maven",
    isInImage: false,
    script: (url) => `mkdir -p /tmp/j && cd /tmp/j && cat >Get.java <<'END'
import java.net.URI;
import java.net.http.*;

public class Get {
  public static void main(String[] words) throws Exception {
    System.out.println(new String(URI.create(words[0]).toURL().openStream().readAllBytes()));
    HttpRequest request = HttpRequest.newBuilder(URI.create(words[0])).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
END
java Get.java ${url}/org/example/parent/1.0.0/parent-1.0.0.pom`,
    prints: /<artifactId>parent<[^]*<artifactId>parent</u,
  },
  {
    name: "Maven",
    registry: "maven",
    isInImage: false,
    // It refuses plain HTTP unless a mirror is named.
    script: (url) => `mkdir /tmp/m && cd /tmp/m && echo '${MAVEN_POM}' >pom.xml
echo '<settings><mirrors><mirror><id>here</id><mirrorOf>*</mirrorOf><url>${url}</url></mirror></mirrors></settings>' >settings.xml
mvn -B -s settings.xml -Dmaven.repo.local=/tmp/m2 validate && unzip -p /tmp/m2/org/example/greeting/1.0.0/greeting-1.0.0.jar greeting/text`,
    // Behind the code that ends its colours.
    prints: /hello$/mu,
  },
  {
    name: "Gradle",
    registry: "maven",
    isInImage: false,
    script: (url) => `mkdir /tmp/gr && cd /tmp/gr && export GRADLE_USER_HOME=/tmp/gh && cat >build.gradle <<'END'
repositories { maven { url "${url}" } }
configurations { greeting }
dependencies { greeting "org.example:greeting:1.0.0" }
task greet { doLast { configurations.greeting.resolve().each { println it.name } } }
END
gradle --no-daemon -q greet`,
    prints: /^greeting-1\.0\.0\.jar\nwords-1\.0\.0\.jar$/mu,
  },
];
