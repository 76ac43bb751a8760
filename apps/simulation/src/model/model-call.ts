import type { Turn } from '@witan/contracts';

export type Caller = { workspaceId: string; requestId: string; signal: AbortSignal };

export type ModelCall = {
  proofId: string;
  requestSha256: string;
  purpose: 'analysis' | 'simulation';
  /**
   * True if the prompt contains results of local-only calls, so that only the local runtime may
   * receive it.
   */
  staysLocal: boolean;
  prompt: Prompt;
};

export type Prompt = {
  /** System prompts. Constant instructions come first, so that providers can cache them. */
  system: readonly string[];
  /** Messages with alternating roles; the first one is the user's. */
  turns: readonly Turn[];
  temperature: number;
  maxOutputTokens: number;
  isShort?: boolean;
  isStreamed: boolean;
};

export type TokenUsage = { promptTokens: number; completionTokens: number; totalTokens: number };

export type ModelPiece =
  | { kind: 'opened'; model: string; proofId: string }
  | { kind: 'text'; text: string }
  | { kind: 'ending'; finishReason: string; usage: TokenUsage };

export type RunningCall = {
  /** Rejects if the call fails. Ends after the certificate is stored durably. */
  pieces: AsyncIterable<ModelPiece>;
  /**
   * Reports the text that the client receives, to which the certificate commits. Must be called
   * within 10 s after the piece `ending`; otherwise the call counts as disconnected.
   */
  deliver: (content: string) => void;
};

export type OpenCall = (call: ModelCall, caller: Caller) => RunningCall;
