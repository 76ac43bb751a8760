import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AddressSchema, GroundingPassageSchema, Turn } from '@witan/contracts';

/** The caller of a request; the signal aborts when it leaves. */
export type Caller = { workspaceId: string; requestId: string; signal: AbortSignal };

/** One model call, which ends in a certificate. */
export type ModelCall = {
  /** `pf_` id of the certificate. */
  proofId: string;
  /** SHA-256 of the client's request body, lower-case hex. */
  requestSha256: string;
  address: MessageInitShape<typeof AddressSchema>;
  /** Value for `routing.taskType` of the certificate; absent: derived from the call. */
  purpose?: 'chat' | 'debate' | 'extraction';
  prompt: Prompt;
  /**
   * Passages shown in the prompt; empty for an agent's call without any. Absent: not applicable.
   */
  grounding?: readonly GroundedIn[];
  /**
   * For a call with tools: certificate id if the answer requests no tool, while `proofId` applies
   * if it does. Absent: always `proofId`.
   */
  answerProofId?: string;
  /** Rejects if a cut-off answer must not be repeated. Absent: it may. */
  checkRepeat?: () => Promise<void>;
};

/** A passage in a certificate: hashes and ids. */
export type GroundedIn = MessageInitShape<typeof GroundingPassageSchema>;

/** A function offered to the model; `parameters` is the JSON text of its schema. */
export type OfferedTool = { name: string; description: string; parameters: string };

/** The input of a model call. */
export type Prompt = {
  /** System instructions, stable ones first. */
  system: readonly string[];
  /** Alternating roles, the user's turn first. */
  turns: readonly Turn[];
  /** Absent: no tools. */
  tools?: readonly OfferedTool[];
  /** Absent: the model's default. */
  temperature?: number;
  /** Limit of the answer in tokens; reasoning models get more for their reasoning. */
  maxOutputTokens?: number;
  /** The answer is short and needs little reasoning. */
  isShort?: boolean;
  /** The answer is a JSON object. */
  wantsJson: boolean;
  /** The answer is streamed. */
  isStreamed: boolean;
};

/** Tokens of one or several calls. */
export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

/** The model has begun to answer. */
export type ModelOpening = {
  kind: 'opened';
  provider: string;
  model: string;
  proofId: string;
  /** Part of the time so far that was spent waiting for providers. */
  providerMs: number;
  /** Prompt parameters that the model does not support. */
  droppedParams: readonly string[];
};

/** Events of a call in order: opened, text and reasoning, ending. */
export type ModelPiece =
  | ModelOpening
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A complete tool call; `arguments` are verbatim. */
  | { kind: 'toolCall'; call: ToolCall }
  | ModelEnding;

/** The provider has finished. */
export type ModelEnding = {
  kind: 'ending';
  /** `length`: the answer was cut off. */
  finishReason: string;
  usage: TokenUsage;
  /** Id of the certificate. */
  proofId: string;
  /** The first call, if it was repeated because it was cut off before any text. */
  repeated?: { usage: TokenUsage; proofId: string };
};

/** A tool call of a model; `arguments` should be JSON text. */
export type ToolCall = { id: string; name: string; arguments: string };

/** A call in progress. */
export type RunningCall = {
  /** Rejects if the call fails; ends when its certificate is durable. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Reports, after `ending`, the text that the client receives: the certificate commits to it.
   * Required, else the call ends as abandoned by its client; except for an answer that requests
   * tools, which is certified as the model wrote it.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;

/** A whole answer, delivered as the model wrote it. */
export type ModelAnswer = {
  text: string;
  reasoning: string;
  finishReason: string;
  usage: TokenUsage;
  model: string;
  /** Certificates of all calls, the answer's first. */
  proofIds: string[];
};

export type AskModel = (call: ModelCall, caller: Caller) => Promise<ModelAnswer>;
