import type { Turn } from '@witan/contracts';

/** The origin of a call; `signal` aborts when the client disconnects. */
export type Caller = { workspaceId: string; requestId: string; signal: AbortSignal };

/** One model call with its certificate. The router chooses the model. */
export type ModelCall = {
  /** `pf_` id of the certificate. */
  proofId: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  /** `routing.taskType` of the certificate. */
  purpose: 'analysis' | 'simulation';
  /** The prompt derives from local-only calls, so only the local runtime may get it. */
  staysLocal: boolean;
  prompt: Prompt;
};

/** A prompt whose answer is a JSON object. */
export type Prompt = {
  /** Instructions; constant ones first, for prompt caches. */
  system: readonly string[];
  /** Begins with a user turn; roles alternate. */
  turns: readonly Turn[];
  temperature: number;
  /** Tokens of the answer; reasoning gets additional room. */
  maxOutputTokens: number;
  isShort?: boolean;
  isStreamed: boolean;
};

export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

/** Pieces of a call in this order: opened, text, ending. */
export type ModelPiece =
  /** A fallback has its own certificate. */
  | { kind: 'opened'; model: string; proofId: string }
  | { kind: 'text'; text: string }
  /** End of the provider's answer; finish reason `length` means that it was truncated. */
  | { kind: 'ending'; finishReason: string; usage: TokenUsage };

export type RunningCall = {
  /** Rejects if the call fails; ends after the certificate is durable. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Reports, after `ending`, the text that the client receives; the certificate commits to it. Must
   * be called within 10 s; otherwise the call ends like one whose client disconnected.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;
