import { openReview } from "../../app/review/changes.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../base/text.ts";
import { confirmedByPerson } from "../input/confirmation.ts";
import { EXIT } from "../process/exit-code.ts";
import { requestText } from "../view/request.ts";

/** `warder changes pr RUN`: shows a person what would be pushed and where, and does it when they type a word. Exits 1 when it was pushed and no request was opened, or not even that. */
export async function request(run: string, options: { readonly json?: boolean; readonly remote?: string }): Promise<number> {
  const review = await openReview(run);
  try {
    const prepared = await review.request(options.remote ?? null);
    const branch = makeVisibleLine(prepared.publication.branch);
    const by = await confirmedByPerson(prepared.records, {
      text: requestText(run, prepared),
      word: "push",
      otherwise: `Nothing left this machine. The branch ${branch} is in your repository: git log -p ${branch}`,
    });
    const sent = await prepared.send(by);
    if (options.json === true) process.stdout.write(`${visibleJson({ branch, ...sent })}\n`);
    else if (!sent.isPushed) process.stdout.write(`Nothing left this machine: git does not push ${branch}: ${makeVisibleLine(sent.output)}\n`);
    else if (!sent.isOpened)
      process.stdout.write(
        `${branch} is pushed, and no request was opened: ${makeVisible(sent.output)}\nOpen it by hand, or take the branch back: git push ${makeVisibleLine(prepared.publication.remote)} --delete ${branch}\n`,
      );
    else
      process.stdout.write(
        `${makeVisible(sent.output)}\n${branch} is pushed, and a request is open. The changes wait until you discard them: warder changes discard ${run}\n`,
      );
    return sent.isOpened ? EXIT.done : EXIT.failed;
  } finally {
    await review.close();
  }
}
