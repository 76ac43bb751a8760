import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AddressSchema, GroundingPassageSchema, Turn } from '@witan/contracts';

/** Who asks, and may leave. */
export type Caller = { workspaceId: string; requestId: string; signal: AbortSignal };

/** One call of a model, which ends in a certificate. */
export type ModelCall = {
  /** `pf_` id of the certificate. */
  proofId: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  address: MessageInitShape<typeof AddressSchema>;
  /** What `routing.taskType` of the certificate says; absent: what the call looks like. */
  purpose?: 'chat' | 'debate' | 'extraction';
  prompt: Prompt;
  /** Passages that the prompt shows; empty for an agent's call without any. Absent: none can. */
  grounding?: readonly GroundedIn[];
  /**
   * Of a call that may ask for tools: the id that its certificate has when it does not, and
   * `proofId` is only that of an answer which asks for tools. Absent: `proofId` in any case.
   */
  answerProofId?: string;
  /** Rejects when an answer that was cut off must not be asked for again. Absent: it may. */
  checkRepeat?: () => Promise<void>;
};

/** A passage as a certificate names it: by hashes and ids. */
export type GroundedIn = MessageInitShape<typeof GroundingPassageSchema>;

/** A function that a model may call; `parameters` is the JSON text of its schema. */
export type OfferedTool = { name: string; description: string; parameters: string };

/** What a model is given. */
export type Prompt = {
  /** Instructions, those that stay from call to call first. */
  system: readonly string[];
  /** The user's first; two of one role never follow each other. */
  turns: readonly Turn[];
  /** What the model may ask for; absent: nothing. */
  tools?: readonly OfferedTool[];
  /** Absent: the model's own. */
  temperature?: number;
  /** Tokens of the answer; models that reason get room for that beside it. */
  maxOutputTokens?: number;
  /** The answer is short and needs little reasoning. */
  isShort?: boolean;
  /** The answer is to be a JSON object. */
  wantsJson: boolean;
  /** The answer is wanted as it comes. */
  isStreamed: boolean;
};

/** Tokens of one or of several calls. */
export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

/** A model has begun to answer. */
export type ModelOpening = {
  kind: 'opened';
  provider: string;
  model: string;
  proofId: string;
  /** Of the time until now, what was spent waiting for providers. */
  providerMs: number;
  /** Parameters of the prompt that the model does not take. */
  droppedParams: readonly string[];
};

/** What comes of a call, in order: opened, text and reasoning, ending. */
export type ModelPiece =
  | ModelOpening
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** Asked for, whole; `arguments` as the model wrote them. */
  | { kind: 'toolCall'; call: ToolCall }
  | ModelEnding;

/** The provider has said everything. */
export type ModelEnding = {
  kind: 'ending';
  /** `length`: it was cut off. */
  finishReason: string;
  usage: TokenUsage;
  /** The certificate's. */
  proofId: string;
  /** The call before it, when that was cut off before its first word. */
  repeated?: { usage: TokenUsage; proofId: string };
};

/** One call of a tool that a model asks for; `arguments` is JSON text, or should be. */
export type ToolCall = { id: string; name: string; arguments: string };

/** A call that runs. */
export type RunningCall = {
  /** Rejects as the call fails; ends once its certificate is durable. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Says, once `ending` came, what the client gets as the answer: the certificate commits to that.
   * Must be called, or the call ends as one whose client left; not for an answer that asks for
   * tools, which is certified as the model wrote it.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;

/** A whole answer; delivered as the model wrote it. */
export type ModelAnswer = {
  text: string;
  reasoning: string;
  finishReason: string;
  usage: TokenUsage;
  model: string;
  /** Certificates of every call, first that of the answer. */
  proofIds: string[];
};

/** Asks and waits for the whole answer. */
export type AskModel = (call: ModelCall, caller: Caller) => Promise<ModelAnswer>;
