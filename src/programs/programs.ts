import { archives } from "./archives.ts";
import { build } from "./build.ts";
import type { Family } from "./catalogue.ts";
import { createCatalogue } from "./catalogue.ts";
import { github } from "./github.ts";
import { azure } from "./azure.ts";
import { clouds } from "./clouds.ts";
import { containers } from "./containers.ts";
import { data } from "./data.ts";
import { devices } from "./devices.ts";
import { documents } from "./documents.ts";
import { editors } from "./editors.ts";
import { files } from "./files.ts";
import { git } from "./git.ts";
import { interpreters } from "./interpreters.ts";
import { mac } from "./mac.ts";
import { machine } from "./machine.ts";
import { network } from "./network.ts";
import { objects } from "./objects.ts";
import { packages } from "./packages.ts";
import { platforms } from "./platforms.ts";
import { reports } from "./reports.ts";
import { search } from "./search.ts";
import { system } from "./system.ts";
import { text } from "./text.ts";
import { wrappers } from "./wrappers.ts";

/** Every file of tables. */
export const FAMILIES: readonly Family[] = [
  { file: "files.ts", text: files },
  { file: "text.ts", text },
  { file: "search.ts", text: search },
  { file: "git.ts", text: git },
  { file: "archives.ts", text: archives },
  { file: "network.ts", text: network },
  { file: "packages.ts", text: packages },
  { file: "containers.ts", text: containers },
  { file: "github.ts", text: github },
  { file: "azure.ts", text: azure },
  { file: "clouds.ts", text: clouds },
  { file: "platforms.ts", text: platforms },
  { file: "system.ts", text: system },
  { file: "machine.ts", text: machine },
  { file: "devices.ts", text: devices },
  { file: "interpreters.ts", text: interpreters },
  { file: "wrappers.ts", text: wrappers },
  { file: "build.ts", text: build },
  { file: "editors.ts", text: editors },
  { file: "data.ts", text: data },
  { file: "documents.ts", text: documents },
  { file: "objects.ts", text: objects },
  { file: "mac.ts", text: mac },
  { file: "reports.ts", text: reports },
];

/** What Warder knows of programs. */
export const PROGRAMS = createCatalogue(FAMILIES);
