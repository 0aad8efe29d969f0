// Makes random changes in a tree from inside a sandbox: ROOT SEED STEPS. Prints what the tree then is, in base64, as names may be any bytes.
import { changeTree, randomOf } from "../random-changes.ts";
import { readFacts } from "../tree-facts.ts";

const [root = "", seed, steps] = process.argv.slice(2);
changeTree({ root, random: randomOf(Number(seed)), isWild: true }, Number(steps));
process.stdout.write(Buffer.from(JSON.stringify([...readFacts(root)])).toString("base64"));
