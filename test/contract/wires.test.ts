import { describeWire } from "./wire-contract.ts";
import { anthropicMessages } from "./wires/anthropic.ts";
import { gemini } from "./wires/google.ts";
import { chatCompletions, ollama } from "./wires/openai-chat.ts";
import { responses } from "./wires/openai-responses.ts";

describeWire(anthropicMessages);
describeWire(responses);
describeWire(chatCompletions);
describeWire(ollama);
describeWire(gemini);
