import { randomInt } from "node:crypto";

// Short, distinct, easily typed. Which one is wanted is random, so nobody can type it before the card is there.
const WORDS = [
  "amber",
  "birch",
  "cobalt",
  "delta",
  "ember",
  "fjord",
  "granite",
  "harbor",
  "indigo",
  "juniper",
  "kelp",
  "lagoon",
  "maple",
  "nectar",
  "onyx",
  "pepper",
  "quartz",
  "raven",
  "saffron",
  "tundra",
];

/** `amber-94`: a word to be typed. */
export function newWord(): string {
  return `${WORDS[randomInt(WORDS.length)] ?? "amber"}-${randomInt(10, 100)}`;
}
