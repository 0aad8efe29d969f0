import { configureGlobal } from "fast-check";

// Always the same examples, so that a red run is a change's own doing. `PROPERTY_SEED=$RANDOM npm test -- test/property` draws others.
configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 20_261_121) });
