import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AddressSchema, Turn } from '@witan/contracts';

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
  purpose?: 'chat' | 'extraction';
  prompt: Prompt;
  /** An agent's own calls are grounded, if in nothing. */
  isGrounded: boolean;
};

/** What a model is given. */
export type Prompt = {
  /** Instructions, those that stay from call to call first. */
  system: readonly string[];
  /** The user's first; two of one role never follow each other. */
  turns: readonly Turn[];
  /** Absent: the model's own. */
  temperature?: number;
  maxOutputTokens?: number;
  /** The answer is to be a JSON object. */
  wantsJson: boolean;
  /** The answer is wanted as it comes. */
  isStreamed: boolean;
};

/** Tokens of one or of several calls. */
export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

/** What comes of a call, in order: opened, text and reasoning, ending. */
export type ModelPiece =
  /** `providerMs`: of the time until now, what was spent waiting for providers. */
  | { kind: 'opened'; provider: string; model: string; proofId: string; providerMs: number }
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** The provider has said everything; `length` as the reason says that it was cut off. */
  | { kind: 'ending'; finishReason: string; usage: TokenUsage };

/** A call that runs. */
export type RunningCall = {
  /** Rejects as the call fails; ends once its certificate is durable. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Says, once `ending` came, what the client gets as the answer: the certificate commits to that.
   * Must be called, or the call ends as one whose client left.
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
  proofId: string;
};

/** Asks and waits for the whole answer. */
export type AskModel = (call: ModelCall, caller: Caller) => Promise<ModelAnswer>;
