// Writes schemas/*.schema.json from the schemas that the loaders use. A test fails while they differ.
import { mkdirSync, writeFileSync } from "node:fs";
import { scheduleJsonSchema } from "../src/config/schedule-file.ts";
import { suiteJsonSchema } from "../src/config/policy/suite.ts";
import { settingsJsonSchema } from "../src/config/settings.ts";
import { policyJsonSchema } from "../src/policy/language/schema.ts";

const directory = new URL("../schemas/", import.meta.url);
mkdirSync(directory, { recursive: true });
const schemas = {
  "policy.schema.json": policyJsonSchema(),
  "schedules.schema.json": scheduleJsonSchema(),
  "settings.schema.json": settingsJsonSchema(),
  "suite.schema.json": suiteJsonSchema(),
};
for (const [name, schema] of Object.entries(schemas)) writeFileSync(new URL(name, directory), `${JSON.stringify(schema, null, 2)}\n`);
