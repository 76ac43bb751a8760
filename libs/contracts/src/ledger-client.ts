import type { Plain } from './completion.ts';
import type { Address } from './gen/witan/common/v1/address_pb.ts';
import type { GroundingPassage } from './gen/witan/common/v1/grounding_pb.ts';
import type { Usage } from './gen/witan/common/v1/usage_pb.ts';
import type { Answer, Draft, Egress, Routing } from './gen/witan/ledger/v1/certificate_pb.ts';

/** A `Draft` of a certificate as a plain object that has all required members. */
export type CertificateDraft = Omit<
  Plain<Draft>,
  'address' | 'grounding' | 'egress' | 'answer' | 'routing'
> & {
  address: Plain<Address>;
  grounding?: { passages: Plain<GroundingPassage>[] } | undefined;
  egress: Plain<Egress>;
  answer: Omit<Plain<Answer>, 'usage'> & { usage: Plain<Usage> };
  routing: Plain<Routing>;
};

export type Reservation = {
  intent: CertificateDraft;
  expiresInMs: number;
  /** In tokens, like `minimum`. */
  amount: number;
  minimum: number;
};

/** The ledger's `Write` as functions. */
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
  append: (workspaceId: string, draft: CertificateDraft, reservationId?: string) => Promise<string>;
  release: (workspaceId: string, proofId: string) => Promise<void>;
};

/** The ledger of the same process. Writes that begin after `stopping` aborts are refused. */
export type LocalLedger = LedgerClient & { readonly stopping: AbortSignal };
