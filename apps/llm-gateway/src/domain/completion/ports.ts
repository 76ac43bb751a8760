import type { Draft } from '@witan/contracts';

/** The two books, as a completion needs them. */
export type Books = {
  /** Resolves once the intent is durable. Rejects with LEDGER_UNAVAILABLE. */
  reserve: (workspaceId: string, intent: Draft, expiresInMs: number) => Promise<void>;
  /** Resolves once the certificate is durable. Rejects with LEDGER_UNAVAILABLE; safe to repeat. */
  append: (workspaceId: string, draft: Draft) => Promise<void>;
  /** Ends the reservation of a call that never left. */
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

/** One call to a model provider, in the provider's own dialect. */
export type ProviderRequest = {
  /** The exact bytes to send. */
  body: Uint8Array;
  /** Aborts the call when the client is gone or its time is over. */
  signal: AbortSignal;
};

/** What a provider answered, before its body was read. */
export type ProviderAnswer = {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
};

/** A model provider that speaks the chat-completions dialect. */
export type Provider = {
  name: 'openai' | 'local' | 'offline';
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when nothing left, PROVIDER_TIMEOUT or
   * PROVIDER_STREAM_CUT when it may have.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /** Names of the models that it offers. Rejects when it cannot say. */
  listModels: (signal: AbortSignal) => Promise<string[]>;
};
