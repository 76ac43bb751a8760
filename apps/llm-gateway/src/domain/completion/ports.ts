import type { Draft } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { PrivacySettings } from '../privacy/privacy-settings.ts';
import type { RedactAccount } from './redact-account.ts';
import type { CircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { RouteSettings } from '../route/choose-route.ts';

/** The durable intent of one attempt, and the tokens that it reserves. */
export type Reservation = {
  intent: Draft;
  expiresInMs: number;
  /** Maximum: the estimated prompt and the longest answer. */
  amount: number;
  /** Minimum that is useful: the estimated prompt and the shortest answer. */
  minimum: number;
};

/** The ledger: reservations and certificates. */
export type LedgerClient = {
  /**
   * Resolves once the intent is durable, with the tokens held for it: `amount`, or fewer when less
   * is available, and then the intent is not stored; undefined where calls are not metered.
   * Idempotent while the hold lasts. Rejects with LEDGER_UNAVAILABLE, INSUFFICIENT_QUOTA, or
   * RATE_LIMITED (`balance_held`).
   */
  reserve: (workspaceId: string, reservation: Reservation) => Promise<number | undefined>;
  /**
   * Settles a reservation, by default the draft's own. Resolves once the certificate is durable,
   * with its id, which differs from the draft's when the reservation had ended already. Rejects
   * with LEDGER_UNAVAILABLE, and with CONFLICT when the draft's id belongs to another call; safe to
   * repeat.
   */
  append: (workspaceId: string, draft: Draft, reservationId?: string) => Promise<string>;
  /** Releases the reservation of a call that was never sent. */
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

/** A request to a model provider, in the provider's own dialect. */
export type ProviderRequest = {
  /** The exact bytes to send. */
  body: Uint8Array;
  /** The client's headers that belong to the dialect; lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Query of the client's URL, without the question mark. */
  query: string;
  /** Aborts when the client disconnects or the timeout expires. */
  signal: AbortSignal;
};

/** A provider's response before its body is read. */
export type ProviderAnswer = {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
};

export type Provider = {
  /** Name in certificates: openai, anthropic, local, offline, or a name that a workspace chose. */
  name: string;
  dialect: DialectName;
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when no byte was sent, with PROVIDER_TIMEOUT
   * or PROVIDER_STREAM_CUT when some may have been.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /** Counts the tokens of a body; undefined if the provider cannot. */
  countTokens?: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /**
   * Removes account identifiers from an error of a provider that is called with the operator's
   * credentials. Errors of a workspace's own provider are not redacted.
   */
  redactError?: RedactAccount;
  /** Resolves with the names of the offered models. Rejects when the provider cannot list them. */
  listModels: (signal: AbortSignal) => Promise<string[]>;
};

/** A provider and its circuit breaker. */
export type ProviderAccess = { provider: Provider; breaker: CircuitBreaker };

/** Resolves with the targets and settings of a workspace; `model` is the requested name. */
export type ChoicesFor = (workspaceId: string, model: string) => Promise<Choices>;

export type Choices = {
  settings: RouteSettings;
  privacy: PrivacySettings;
  /** Returns a provider that `settings.dialects` lists. */
  accessTo: (provider: string) => ProviderAccess;
};

/** A finished attempt, for traces and metrics: names and counts only. */
export type EndedAttempt = {
  provider: string;
  model: string;
  /** Slug of the calling agent; empty if none. */
  agent: string;
  /** HTTP status of the provider; 0 if it did not respond. */
  status: number;
  /** Number of text spans that placeholders replaced. */
  masked: number;
  /** From sending to the last byte. */
  durationMs: number;
  /** Absent if nothing was sent. */
  ending?: { finishReason: string; promptTokens: number; completionTokens: number };
  /** Reason of the failure; absent on success. */
  failure?: string;
};

/** The routing record of an attempt, for logs and metrics. */
export type AttemptRecord = {
  workspaceId: string;
  requestId: string;
  proofId: string;
  provider: string;
  model: string;
  /** 1 for the first target. */
  attempt: number;
  /** `answered` for any HTTP status; else the reason of the failure. */
  outcome: string;
  /** HTTP status of the provider; 0 if it did not respond. */
  status: number;
  durationMs: number;
};
