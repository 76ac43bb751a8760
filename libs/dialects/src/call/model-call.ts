import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { AddressSchema, GroundingPassageSchema, Turn } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';

export type Caller = {
  workspaceId: string;
  requestId: string;
  /** API key for which the call is made, if known. */
  actorId?: string | undefined;
  signal: AbortSignal;
};

export type ModelCall = {
  proofId: string;
  /** SHA-256 of the client's request body, in lower-case hex. */
  requestSha256: string;
  address: MessageInitShape<typeof AddressSchema>;
  /**
   * Task type for routing, which the certificate contains as `routing.taskType`. If undefined, the
   * llm-gateway classifies the call.
   */
  purpose?: 'chat' | 'debate' | 'extraction' | 'analysis' | 'simulation';
  prompt: Prompt;
  /** Passages shown in the prompt; undefined if no documents were searched for this call. */
  grounding?: readonly GroundingEntry[];
  /**
   * For calls with tools: id of the certificate if the answer requests no tool. If it requests
   * tools, the id is `proofId`.
   */
  answerProofId?: string;
  /**
   * Called before a call whose answer was cut off is repeated; rejects if it must not be repeated,
   * for example because a lease was lost.
   */
  checkRepeat?: () => Promise<void>;
};

export type GroundingEntry = MessageInitShape<typeof GroundingPassageSchema>;

export type OfferedTool = { name: string; description: string; parameters: string };

export type Prompt = {
  /**
   * System instructions. Those that are the same in every call come first, so that the provider can
   * cache them.
   */
  system: readonly string[];
  turns: readonly Turn[];
  tools?: readonly OfferedTool[];
  temperature?: number;
  /** Token limit of the answer; reasoning models get more for their reasoning. */
  maxOutputTokens?: number;
  isShort?: boolean;
  /**
   * Requests a JSON object; a JSON Schema requests one of that form. The schema is not repeated in
   * `system`: the llm-gateway writes it there for a provider that accepts no schemas.
   */
  wantsJson: boolean | JsonObject;
  isStreamed: boolean;
};

export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

export type ModelOpening = {
  kind: 'opened';
  provider: string;
  model: string;
  proofId: string;
  /** Time that the call waited for providers, in milliseconds. */
  providerMs: number;
  droppedParams: readonly string[];
};

/** Events of a call, in this order: `opened`; text, reasoning and tool calls; `ending`. */
export type ModelPiece =
  | ModelOpening
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'toolCall'; call: ToolCall }
  | ModelEnding;

export type ModelEnding = {
  kind: 'ending';
  finishReason: string;
  usage: TokenUsage;
  proofId: string;
  /**
   * Usage and certificate of the first call, if it was cut off before any text and therefore
   * repeated.
   */
  repeated?: { usage: TokenUsage; proofId: string };
};

export type ToolCall = { id: string; name: string; arguments: string };

export type RunningCall = {
  /**
   * Events of the call. The iteration rejects if the call fails and ends when the certificate is
   * durable.
   */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Reports the text that the client receives; must be called after `ending`. If the call has a
   * client, the certificate commits to this text, and without it the call ends as abandoned by its
   * client, except if the answer requests tools.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;

export type ModelAnswer = {
  text: string;
  finishReason: string;
  usage: TokenUsage;
  model: string;
  /** Certificate ids of all calls; the one of the answer comes first. */
  proofIds: string[];
};

export type AskModel = (call: ModelCall, caller: Caller) => Promise<ModelAnswer>;

export const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  totalTokens: one.totalTokens + other.totalTokens,
});

export const collectCalls = ({
  usage,
  proofId,
  repeated,
}: Pick<ModelEnding, 'usage' | 'proofId' | 'repeated'>): {
  usage: TokenUsage;
  proofIds: string[];
} =>
  repeated
    ? { usage: addUsage(repeated.usage, usage), proofIds: [repeated.proofId, proofId] }
    : { usage, proofIds: [proofId] };

export const toTextTurn = (role: 'user' | 'assistant', text: string): Turn =>
  create(TurnSchema, { role, parts: [{ part: { case: 'text', value: { text } } }] });
