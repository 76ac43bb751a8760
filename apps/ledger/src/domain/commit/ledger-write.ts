import type { Draft } from '@witan/contracts';
import type {
  ChainHead,
  NewCertificate,
  SignedCertificate,
} from '../certificate/sign-certificates.ts';

export type LedgerWrite = Action & {
  /** The trace of the write's own call. The span of the commit links to those of all its writes. */
  trace?: Readonly<Record<string, string>>;
};

type Action =
  | {
      kind: 'reserve';
      workspaceId: string;
      proofId: string;
      /** The most tokens that the call may use, and the fewest that it accepts. */
      amount: bigint;
      minimum: bigint;
      intent: Draft | undefined;
      expiresInMs: number;
    }
  | {
      kind: 'append';
      workspaceId: string;
      /** The certificate's id and that of the reservation it settles; they may differ. */
      proofId: string;
      reservationId: string;
      draft: Draft;
    }
  | {
      kind: 'release';
      workspaceId: string;
      proofId: string;
      /** Leaves a reservation unchanged if it has an intent by now. */
      onlyUnsent?: boolean;
    };

export type Append = Extract<LedgerWrite, { kind: 'append' }>;
export type Reserve = Extract<LedgerWrite, { kind: 'reserve' }>;

/** A workspace's certificates in one commit, and the chain head before and after them. */
export type SignedGroup = {
  workspaceId: string;
  before: ChainHead;
  after: ChainHead;
  certificates: NewCertificate[];
  /** Reservation ids by certificate id, for certificates whose reservation has another id. */
  settles?: ReadonlyMap<string, string>;
};

/** `open`: a request may have been sent under it. `foreign`: it belongs to another workspace. */
export type ProofIdState = 'open' | 'settled' | 'released' | 'foreign';

/** The parts of one commit that did not take effect. Everything else is durable. */
export type CommitProblems = {
  /** Workspaces whose head another replica moved: none of their appends took effect. */
  moved: ReadonlySet<string>;
  /**
   * Proof ids of appends without a held reservation, or whose id another call has. None of their
   * workspace's appends took effect.
   */
  unreserved: ReadonlySet<string>;
  /** The states of proof ids of reserves that were used before. */
  taken: ReadonlyMap<string, ProofIdState>;
  /** Reserves whose minimum is above the balance. */
  short: ReadonlySet<string>;
  /** Reserves whose minimum is above the part of the balance that is not held. */
  busy: ReadonlySet<string>;
  /** Held tokens by proof id, where they differ from the amount requested. */
  held: ReadonlyMap<string, bigint>;
};

export type LedgerStorage = {
  /**
   * Writes everything in one transaction. Rejects with KeyRetired when the certificates' key is not
   * in force; any other rejection means that the outcome is unknown.
   */
  commit: (
    writes: readonly Exclude<LedgerWrite, Append>[],
    groups: readonly SignedGroup[],
    keyId: string,
  ) => Promise<CommitProblems>;
  /** Returns the heads of the chains; creates missing chains at their genesis hash. */
  loadHeads: (workspaceIds: readonly string[]) => Promise<Map<string, ChainHead>>;
  /** Returns the certificate that settled a reservation, under its own id or another. */
  findCertificate: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SignedCertificate | undefined>;
};
