import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantPart, Image, Message, ToolResultPart } from "../contract/message.ts";
import type { ModelRequest } from "../contract/provider.ts";
import { readCarry } from "./carry.ts";
import { boundImages } from "./images.ts";

/** What differs between protocols in how a conversation is written down. */
export type Dialect = {
  /** The protocol has a mark for a failed result; elsewhere the client would wrap it in JSON, which a model reads badly, so it goes as plain text. */
  readonly marksErrors: boolean;
  /** A result may hold images; elsewhere they follow the results in a message of their own. */
  readonly hasImagesInResults: boolean;
  /** Goes along with each request. */
  readonly options?: SharedV4ProviderOptions;
};

// Everything up to a marked message is cached by Anthropic at a tenth of the price; other providers ignore the
// mark and cache by themselves.
const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** A request to `model` in the words of the language model interface. */
export function toCallOptions(
  request: ModelRequest,
  model: string,
  dialect: Dialect,
): Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice" | "maxOutputTokens" | "providerOptions"> {
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: request.system, providerOptions: CACHE_MARK },
    ...boundImages(request.messages).flatMap((message) => toMessages(message, model, dialect)),
  ];
  const last = prompt.at(-1);
  if (last && last.role !== "system") last.providerOptions = CACHE_MARK;
  const tools = request.tools.map((tool): LanguageModelV4FunctionTool => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));
  const { maxOutputTokens, mustCall } = request;
  return {
    prompt,
    ...(tools.length > 0 ? { tools } : {}),
    ...(mustCall === undefined ? {} : { toolChoice: { type: "tool", toolName: mustCall } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(dialect.options === undefined ? {} : { providerOptions: dialect.options }),
  };
}

function toMessages(message: Message, model: string, dialect: Dialect): readonly LanguageModelV4Message[] {
  switch (message.kind) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: message.text }, ...(message.images ?? []).map(toFile)] }];
    case "assistant": {
      // No provider accepts an empty text or a message without parts.
      const content = message.parts.filter((part) => isSendable(part, model)).map((part) => toPart(part, model));
      return content.length > 0 ? [{ role: "assistant", content }] : [];
    }
    case "tool": {
      const content = message.results.map((result) => toResult(result, dialect));
      const images = dialect.hasImagesInResults ? [] : message.results.flatMap((result) => result.images ?? []);
      return [{ role: "tool", content }, ...(images.length === 0 ? [] : [imagesAfter(images)])];
    }
  }
}

function toResult({ callId, name, text, images = [], isError }: ToolResultPart, dialect: Dialect): LanguageModelV4ToolResultPart {
  const call = { type: "tool-result" as const, toolCallId: callId, toolName: sendableName(name) };
  // That it failed stands in its first line, too.
  if (images.length > 0 && dialect.hasImagesInResults) return { ...call, output: { type: "content", value: [{ type: "text", text }, ...images.map(toFile)] } };
  return { ...call, output: { type: isError && dialect.marksErrors ? "error-text" : "text", value: text } };
}

function imagesAfter(images: readonly Image[]): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text: "[warder: the images of the results above, in their order]" }, ...images.map(toFile)] };
}

function toFile({ mediaType, base64 }: Image): LanguageModelV4FilePart {
  return { type: "file", mediaType, data: { type: "data", data: base64 } };
}

/** What another model thought is not this one's to go on from, and without its signature servers refuse it. */
function isSendable(part: AssistantPart, model: string): boolean {
  return part.kind === "text" ? part.text !== "" : part.kind === "tool-call" || readCarry(model, part.carry).isOwn;
}

function toPart(part: AssistantPart, model: string) {
  const { signed } = readCarry(model, part.carry);
  const options = signed === undefined ? {} : { providerOptions: signed };
  switch (part.kind) {
    case "text":
      return { type: "text" as const, text: part.text, ...options };
    case "reasoning":
      return { type: "reasoning" as const, text: part.text, ...options };
    case "tool-call":
      return { type: "tool-call" as const, toolCallId: part.callId, toolName: sendableName(part.name), input: part.input, ...options };
  }
}

/**
 * The name of a tool as it goes back to a server. What a model made up may be no name that servers take (they answer 400 and
 * the run would end), or a key of every object (`__proto__`), which the client looks up in a table of its own.
 */
function sendableName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !(name in {}) ? name : "no_such_tool";
}
