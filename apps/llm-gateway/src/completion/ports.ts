import type { Draft } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { PrivacySettings } from '../masking/privacy-settings.ts';
import type { RedactAccount } from './redact-account.ts';
import type { CircuitBreaker } from '../provider/circuit-breaker.ts';
import type { RouteSettings } from '../routing/choose-route.ts';

export type Reservation = {
  intent: Draft;
  expiresInMs: number;
  amount: number;
  minimum: number;
};

export type LedgerClient = {
  /**
   * Holds tokens and stores the intent. Resolves with the number of held tokens, or undefined if
   * calls are not metered. If that is less than `amount`, because less is available, the intent is
   * not stored. Safe to repeat while the reservation is open. Rejects with LEDGER_UNAVAILABLE,
   * INSUFFICIENT_QUOTA, or RATE_LIMITED (`balance_held`).
   */
  reserve: (workspaceId: string, reservation: Reservation) => Promise<number | undefined>;
  /**
   * Settles a reservation, by default the draft's own. Resolves once the certificate is durable,
   * with its id, which differs from the draft's if the reservation had already ended. Rejects with
   * LEDGER_UNAVAILABLE, and with CONFLICT if the draft's id belongs to another call. Safe to
   * repeat.
   */
  append: (workspaceId: string, draft: Draft, reservationId?: string) => Promise<string>;
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

export type ProviderRequest = {
  body: Uint8Array;
  /** Headers of the client's request that belong to its dialect, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Query of the URL that the client called, without the question mark. */
  query: string;
  signal: AbortSignal;
};

export type ProviderAnswer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
};

export type Provider = {
  /**
   * Name in certificates: `openai`, `anthropic`, `local`, `offline`, or a name chosen by a
   * workspace.
   */
  name: string;
  dialect: DialectName;
  /**
   * Sends the call. Rejects with PROVIDER_UNREACHABLE when no byte was sent, with PROVIDER_TIMEOUT
   * or PROVIDER_STREAM_CUT when some may have been.
   */
  complete: (request: ProviderRequest) => Promise<ProviderAnswer>;
  countTokens?: (request: ProviderRequest) => Promise<ProviderAnswer>;
  /**
   * Removes account identifiers from an error of a provider that is called with the operator's
   * credentials. Errors of a workspace's own provider are not redacted.
   */
  redactError?: RedactAccount;
  listModels: (signal: AbortSignal) => Promise<string[]>;
};

export type ProviderAccess = { provider: Provider; breaker: CircuitBreaker };

export type ChoicesFor = (workspaceId: string, model: string) => Promise<Choices>;

export type Choices = {
  settings: RouteSettings;
  privacy: PrivacySettings;
  accessTo: (provider: string) => ProviderAccess;
};

/** A finished attempt as reported to traces and metrics: names and counts, never content. */
export type EndedAttempt = {
  provider: string;
  model: string;
  agent: string;
  status: number;
  masked: number;
  /** Time from sending the request to the last byte of the response. */
  durationMs: number;
  ending?: { finishReason: string; promptTokens: number; completionTokens: number };
  failure?: string;
};

export type AttemptRecord = {
  workspaceId: string;
  requestId: string;
  proofId: string;
  provider: string;
  model: string;
  attempt: number;
  /** `answered` for any HTTP status; otherwise the reason of the failure. */
  outcome: string;
  status: number;
  durationMs: number;
};
