import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { planDoneSchema } from "../contract/input-schemas.ts";
import { trustedError } from "../contract/result.ts";

export const PLAN_DONE = "plan_done";

/** Leaves the read-only part of a run that plans, once a person has said yes to the plan. */
export const planDoneTool = defineTool({
  name: PLAN_DONE,
  aliases: TOOL_NAMES.plan_done,
  description:
    "Gives your plan to a person. If they approve it, you may change things from then on, as far as the policy lets you. Until then all is read-only.",
  schema: planDoneSchema,
  traits: { history: { pinsActivePlan: true, planArgument: "plan", isCompactable: false } },
  requests: ({ plan }) => [{ kind: "plan", plan }],
  async execute({ plan }, { handles }) {
    const problem = await handles.plan.leave(plan);
    if (problem !== null) return trustedError(problem);
    return { content: [{ kind: "text", text: "A person approved this plan. Carry it out." }], isError: false, label: "trusted" };
  },
});
