import type { Draft } from '@witan/contracts';
import type { ReportedUsage } from '@witan/proof';
import type { Privacy } from '../masking/mask-request.ts';
import type { Target } from '../provider/provider.ts';
import type { SchemaSupport } from '../provider/schema-support.ts';
import type { ChoicesFor } from '../routing/choices.ts';

export type CompletionDeps = {
  ledger: LedgerClient;
  choicesFor: ChoicesFor;
  privacy: Privacy;
  schemas: SchemaSupport;
  /**
   * Upper bound of a call's output limit (GATEWAY_MAX_OUTPUT_TOKENS); larger limits are clamped.
   */
  maxOutputTokens: number;
  /**
   * If true, calls without an output limit get one, because a call may not use more tokens than are
   * held for it.
   */
  isMetered: boolean;
  totalTimeoutMs: number;
  onAttempt: (record: AttemptRecord) => void;
  onEnded: (ended: EndedAttempt) => void;
  /** Called with the context window that an error of a provider names. */
  onContext: (target: Target, contextTokens: number) => void;
};

export type Caller = {
  workspaceId: string;
  requestId: string;
  actorId?: string | undefined;
  signal: AbortSignal;
};

export type Reservation = {
  intent: Draft;
  expiresInMs: number;
  amount: number;
  minimum: number;
};

export type LedgerClient = {
  /**
   * Holds tokens and stores the intent. Resolves with the number of held tokens, or undefined if
   * calls are not metered. If fewer than `amount` are available, it resolves with the available
   * number, and the intent is not stored. Safe to repeat while the reservation is open. Rejects,
   * among others, with LEDGER_UNAVAILABLE, INSUFFICIENT_QUOTA, RATE_LIMITED (`balance_held`) and
   * CONFLICT.
   */
  reserve: (workspaceId: string, reservation: Reservation) => Promise<number | undefined>;
  /**
   * Ends the reservation `reservationId`, by default the one with the draft's id, with a
   * certificate. Resolves once the certificate is durable, with its id, which differs from the
   * draft's if the reservation had already ended. Rejects, among others, with LEDGER_UNAVAILABLE,
   * and with CONFLICT if the draft's id belongs to another call. Safe to repeat.
   */
  append: (workspaceId: string, draft: Draft, reservationId?: string) => Promise<string>;
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

/** A finished attempt as reported to traces and metrics, without content. */
export type EndedAttempt = {
  operation: 'chat' | 'embeddings';
  provider: string;
  model: string;
  agent: string;
  status: number;
  masked: number;
  /** True if the request asks for a streamed answer. */
  isStreamed: boolean;
  /** Time from sending the request to the last byte of the response, or to the failure. */
  durationMs: number;
  ending?: ReportedUsage & { finishReason: string };
  failure?: string;
};

export type AttemptRecord = {
  workspaceId: string;
  requestId: string;
  proofId: string;
  provider: string;
  /** True if the provider and its key are the workspace's own, false if they are the operator's. */
  isOwn: boolean;
  model: string;
  attempt: number;
  /** `answered` for any HTTP status; otherwise the reason of the failure. */
  outcome: string;
  status: number;
  durationMs: number;
};
