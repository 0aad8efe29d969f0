// Writes schemas/policy.schema.json from the schema that the loader uses. A test fails while they differ.
import { mkdirSync, writeFileSync } from "node:fs";
import { policyJsonSchema } from "../src/policy/schema.ts";

const directory = new URL("../schemas/", import.meta.url);
mkdirSync(directory, { recursive: true });
writeFileSync(new URL("policy.schema.json", directory), `${JSON.stringify(policyJsonSchema(), null, 2)}\n`);
