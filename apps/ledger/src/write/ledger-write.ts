import { conflict, ServiceError } from '@witan/contracts';
import type { CertificateDraft } from '@witan/contracts';
import type { ChainHead, NewCertificate, SignedCertificate } from '../chain/sign-certificates.ts';

export type LedgerWrite = Action & {
  trace?: Readonly<Record<string, string>>;
};

type Action =
  | {
      kind: 'reserve';
      workspaceId: string;
      proofId: string;
      /** Tokens to hold if calls are metered: up to `amount`, and not less than `minimum`. */
      amount: bigint;
      minimum: bigint;
      intent: CertificateDraft | undefined;
      expiresInMs: number;
    }
  | {
      kind: 'append';
      workspaceId: string;
      proofId: string;
      reservationId: string;
      draft: CertificateDraft;
    }
  | {
      kind: 'release';
      workspaceId: string;
      proofId: string;
      onlyUnsent?: boolean;
    };

export type Append = Extract<LedgerWrite, { kind: 'append' }>;
export type Reserve = Extract<LedgerWrite, { kind: 'reserve' }>;

export type SignedGroup = {
  workspaceId: string;
  before: ChainHead;
  after: ChainHead;
  certificates: NewCertificate[];
  /** Maps ids of certificates to ids of the reservations that they settle, where the two differ. */
  settles?: ReadonlyMap<string, string>;
};

/**
 * State of a proof id that was used before. `open`: a request may have been sent under it.
 * `foreign`: it belongs to another workspace.
 */
export type ProofIdState = 'open' | 'settled' | 'released' | 'foreign';

/**
 * Appends and reserves of a commit that did not take effect, and reserves that hold another amount
 * than requested.
 */
export type CommitProblems = {
  /** Workspaces whose chain head another replica moved first: none of their appends took effect. */
  moved: ReadonlySet<string>;
  /**
   * Proof ids of appends whose reservation is not open, or whose certificate id belongs to another
   * call. No append of the same workspace took effect.
   */
  unreserved: ReadonlySet<string>;
  /**
   * For reserves that did not take effect because their proof id was used before: the state of that
   * proof id.
   */
  taken: ReadonlyMap<string, ProofIdState>;
  /** Proof ids of reserves whose minimum exceeds the balance. */
  short: ReadonlySet<string>;
  /**
   * Proof ids of the other reserves whose minimum exceeds the part of the balance that is not held.
   */
  busy: ReadonlySet<string>;
  /**
   * Held tokens by proof id. Contains every metered reserve that holds another amount than
   * requested.
   */
  held: ReadonlyMap<string, bigint>;
};

export type LedgerStorage = {
  /**
   * Writes `writes` and `groups` in one transaction, except those that it returns as problems.
   * Rejects with KeyRetiredError if there are groups and their signing key is not in force; after
   * any other rejection the outcome is unknown.
   */
  commit: (
    writes: readonly Exclude<LedgerWrite, Append>[],
    groups: readonly SignedGroup[],
    keyId: string,
  ) => Promise<CommitProblems>;
  loadHeads: (workspaceIds: readonly string[]) => Promise<Map<string, ChainHead>>;
  findCertificate: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SignedCertificate | undefined>;
};

/** Short, because calls in flight may release held tokens at any moment. */
const RETRY_AFTER_S = '1';

export const balanceTooSmall = (): ServiceError =>
  new ServiceError(
    'INSUFFICIENT_QUOTA',
    "The workspace's token balance is too small for this call; ask its operator for credits.",
  );

export const balanceHeld = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    "Calls in flight hold the rest of the workspace's token balance; try again in a moment.",
    { fields: { code: 'balance_held', retryAfter: RETRY_AFTER_S } },
  );

/**
 * Returns the error for a proof id that was used before. Its code names the state of the earlier
 * call, unless that belongs to another workspace. `proof` is the id of the earlier call's
 * certificate, if it is settled.
 */
export const proofIdUsed = (state: ProofIdState, proof = ''): ServiceError =>
  conflict('This proof id was used before; every call needs a fresh one.', {
    ...(state === 'foreign' ? {} : { code: `proof_id_${state}` }),
    ...(proof ? { proof } : {}),
  });
