import { existsSync } from "node:fs";
import type { Words } from "../../agent/inbox.ts";
import { pathOfName, readImages } from "../../app/conversation/images.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { counted } from "../view/style.ts";
import { word } from "./conversation/entry.ts";
import { givenName, imageNames, pastedImage } from "./conversation/typed.ts";
import { show, type Talk } from "./talk.ts";

/** What stands in the line for a paste. A file that is dropped on the terminal is one to be sent; what a longer text names, a person may not have seen. */
export function takePaste(talk: Pick<Talk, "context" | "unseen">, pasted: string): string {
  const file = pastedImage(pasted);
  if (file !== null && existsSync(pathOfName(file, talk.context.workspace))) return `${givenName(file)} `;
  for (const name of imageNames(pasted).given) talk.unseen.add(name);
  return pasted;
}

/** A message with the images that it names. Null: it is not sent, and stands in the line again. */
export function withImages(talk: Talk, text: string): Words | null {
  const { given, mentioned } = imageNames(text);
  const { workspace } = talk.context;
  const unseen = given.filter((name) => talk.unseen.delete(name));
  const { images, problems } = unseen.length > 0 ? { images: [], problems: unseen.map(unseenText) } : readImages(given, workspace);
  if (problems.length > 0) {
    show(talk, ...problems.map((problem) => word(problem, "warning")));
    talk.desk.setInput(text);
    return null;
  }
  const here = mentioned.filter((name) => existsSync(pathOfName(name, workspace))).map((name) => makeVisibleLine(givenName(name)));
  if (here.length > 0) show(talk, word(`The model reads a name alone. To send the image: ${here.join(" ")}`, "warning"));
  if (images.length > 0) show(talk, word(`With ${counted(images.length, "image")}: ${images.map(({ name }) => name).join(", ")}`, "quiet"));
  return { text, ...(images.length > 0 && { images }) };
}

const unseenText = (name: string): string => `${makeVisibleLine(name)} is named in what you pasted, and would be sent to the model. Enter again sends it.`;
