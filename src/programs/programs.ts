import { archives } from "./families/archives.ts";
import { build } from "./families/build.ts";
import type { Family } from "./catalogue.ts";
import { createCatalogue } from "./catalogue.ts";
import { github } from "./families/github.ts";
import { azure } from "./families/azure.ts";
import { clouds } from "./families/clouds.ts";
import { containers } from "./families/containers.ts";
import { data } from "./families/data.ts";
import { devices } from "./families/devices.ts";
import { documents } from "./families/documents.ts";
import { editors } from "./families/editors.ts";
import { files } from "./families/files.ts";
import { git } from "./families/git.ts";
import { interpreters } from "./families/interpreters.ts";
import { mac } from "./families/mac.ts";
import { machine } from "./families/machine.ts";
import { network } from "./families/network.ts";
import { objects } from "./families/objects.ts";
import { packages } from "./families/packages.ts";
import { platforms } from "./families/platforms.ts";
import { reports } from "./families/reports.ts";
import { search } from "./families/search.ts";
import { system } from "./families/system.ts";
import { text } from "./families/text.ts";
import { wrappers } from "./families/wrappers.ts";

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
