import type { Draft } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { PrivacySettings } from '../privacy/privacy-settings.ts';
import type { RedactAccount } from './redact-account.ts';
import type { CircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { RouteSettings } from '../route/choose-route.ts';

/** The durable intent of one attempt, and the tokens that it may use. */
export type Reservation = {
  intent: Draft;
  expiresInMs: number;
  /** At most: the prompt as estimated and the longest answer. */
  amount: number;
  /** Fewer are of no use: the prompt as estimated and the shortest answer. */
  minimum: number;
};

/** The two books, as a completion needs them. */
export type LedgerClient = {
  /**
   * Resolves once the intent is durable, with the tokens that are held for it: `amount`, or fewer
   * when no more are available, and then the intent is not taken; undefined where calls are not
   * metered. Idempotent while it is held. Rejects with LEDGER_UNAVAILABLE, INSUFFICIENT_QUOTA, or
   * RATE_LIMITED (`balance_held`).
   */
  reserve: (workspaceId: string, reservation: Reservation) => Promise<number | undefined>;
  /**
   * Settles a reservation, the draft's own unless another is named. Resolves once the certificate
   * is durable, with the id of the one that stands: another than the draft's when the reservation
   * had ended by then. Rejects with LEDGER_UNAVAILABLE, and with CONFLICT when the draft's id is
   * another call's; safe to repeat.
   */
  append: (workspaceId: string, draft: Draft, reservationId?: string) => Promise<string>;
  /** Ends the reservation of a call that never left. */
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

/** One call to a model provider, in the provider's own dialect. */
export type ProviderRequest = {
  /** The exact bytes to send. */
  body: Uint8Array;
  /** Headers of the client that belong to the dialect; lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** The query of the client's URL, without its question mark. */
  query: string;
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

/** A model provider. */
export type Provider = {
  /** As it stands in certificates: openai, anthropic, local, offline, or a workspace's own word. */
  name: string;
  dialect: DialectName;
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when nothing left, PROVIDER_TIMEOUT or
   * PROVIDER_STREAM_CUT when it may have.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /** Asks how many tokens a body has; undefined: this provider cannot say. */
  countTokens?: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /**
   * Of a provider that is called with the operator's credentials: removes what names the account
   * from an error. A workspace's own provider says what it likes to the workspace.
   */
  redactError?: RedactAccount;
  /** Names of the models that it offers. Rejects when it cannot say. */
  listModels: (signal: AbortSignal) => Promise<string[]>;
};

/** A provider that a workspace may use, behind its circuit breaker. */
export type ProviderAccess = { provider: Provider; breaker: CircuitBreaker };

/** What one workspace may use, and what it has decided; `model` is the name that was asked for. */
export type ChoicesFor = (workspaceId: string, model: string) => Promise<Choices>;

export type Choices = {
  settings: RouteSettings;
  privacy: PrivacySettings;
  /** Of a provider that `settings.dialects` names. */
  accessTo: (provider: string) => ProviderAccess;
};

/** One try at one provider that is over, for traces and metrics: names and counts. */
export type EndedAttempt = {
  provider: string;
  model: string;
  /** The slug of the agent that asked; empty when none did. */
  agent: string;
  /** HTTP status of the provider; 0 when none came. */
  status: number;
  /** Stretches of text that a placeholder stood for. */
  masked: number;
  /** From sending to the last byte. */
  durationMs: number;
  /** Absent for what never left. */
  ending?: { finishReason: string; promptTokens: number; completionTokens: number };
  /** The reason of the failure; absent: it went well. */
  failure?: string;
};

/** One try at one provider, for logs and metrics: the routing record (gateway.md rule 12). */
export type AttemptRecord = {
  workspaceId: string;
  requestId: string;
  proofId: string;
  provider: string;
  model: string;
  /** 1 for the first target. */
  attempt: number;
  /** `answered` whatever the status; else the reason of the failure. */
  outcome: string;
  /** HTTP status of the provider; 0 when none came. */
  status: number;
  durationMs: number;
};
