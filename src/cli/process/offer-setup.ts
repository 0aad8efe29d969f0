import { confirmAtTerminal } from "../../approvals/terminal/confirm.ts";
import { MissingImageError } from "../../sandbox/docker/engine.ts";

/**
 * Offers a person at a terminal to make Warder's own image, when a command ended because it is missing. Returns whether it was made, so that the command
 * may start again: nothing had run, for without an image no sandbox opens.
 */
export async function isImageMade(error: unknown, make: () => Promise<unknown>): Promise<boolean> {
  if (!(error instanceof MissingImageError) || !process.stderr.isTTY) return false;
  const offer = `${error.problem}\n\`warder setup\` makes it, in two to four minutes. Then this command starts.`;
  if ((await confirmAtTerminal(offer, "yes")).kind !== "confirmed") return false;
  await make();
  return true;
}
