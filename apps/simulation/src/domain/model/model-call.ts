import type { Turn } from '@witan/contracts';

/** Who asks, and may leave. */
export type Caller = { workspaceId: string; requestId: string; signal: AbortSignal };

/** One call of a model, which ends in a certificate. The router chooses who answers. */
export type ModelCall = {
  /** `pf_` id of the certificate. */
  proofId: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  /** What `routing.taskType` of the certificate says. */
  purpose: 'analysis' | 'simulation';
  /** The prompt derives from calls that stayed on the machine: it is asked there, or nowhere. */
  staysLocal: boolean;
  prompt: Prompt;
};

/** What a model is given; a JSON object is wanted of it. */
export type Prompt = {
  /** Instructions, those that stay from call to call first. */
  system: readonly string[];
  /** The user's first; two of one role never follow each other. */
  turns: readonly Turn[];
  temperature: number;
  /** Tokens of the answer; models that reason get room for that beside it. */
  maxOutputTokens: number;
  /** The answer is short and needs little reasoning. */
  isShort?: boolean;
  /** The answer is wanted as it comes. */
  isStreamed: boolean;
};

/** Tokens of one or of several calls. */
export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

/** What comes of a call, in order: opened, text, ending. */
export type ModelPiece =
  /** A fallback has a certificate of its own. */
  | { kind: 'opened'; model: string; proofId: string }
  | { kind: 'text'; text: string }
  /** The provider has said everything; `length` as the reason says that it was cut off. */
  | { kind: 'ending'; finishReason: string; usage: TokenUsage };

/** A call that runs. */
export type RunningCall = {
  /** Rejects as the call fails; ends once its certificate is durable. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Says, once `ending` came, what the client gets as the answer; the certificate commits to that.
   * Must be called within 10 s, or the call ends as one whose client left.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;
