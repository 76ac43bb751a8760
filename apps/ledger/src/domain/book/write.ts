import type { Draft } from '@witan/contracts';
import type {
  ChainHead,
  NewCertificate,
  SealedCertificate,
} from '../certificate/seal-certificates.ts';

/** One thing to write to the books. */
export type BookWrite = Action & {
  /** That it is part of; its commit points to those of all its writes. */
  trace?: Readonly<Record<string, string>>;
};

type Action =
  | {
      kind: 'reserve';
      workspaceId: string;
      proofId: string;
      /** Tokens that the call uses at most, and the fewest that are of use to it. */
      amount: bigint;
      minimum: bigint;
      intent: Draft | undefined;
      expiresInMs: number;
    }
  | {
      kind: 'append';
      workspaceId: string;
      /** The certificate's id, and that of the reservation that it settles: another one, maybe. */
      proofId: string;
      reservationId: string;
      draft: Draft;
    }
  | {
      kind: 'release';
      workspaceId: string;
      proofId: string;
      /** Leaves a reservation alone whose intent was written since. */
      onlyUnsent?: boolean;
    };

export type Append = Extract<BookWrite, { kind: 'append' }>;
export type Reserve = Extract<BookWrite, { kind: 'reserve' }>;

/** A workspace's certificates of one commit and the head that they were sealed against. */
export type SealedGroup = {
  workspaceId: string;
  before: ChainHead;
  after: ChainHead;
  certificates: NewCertificate[];
  /** Reservations that certificates settle, by the certificate's id, where that is another one. */
  settles?: ReadonlyMap<string, string>;
};

/** `open`: something may have been sent under it. `foreign`: another workspace's. */
export type ProofIdState = 'open' | 'settled' | 'released' | 'foreign';

/** What one commit did not do. Everything else of it is durable. */
export type CommitProblems = {
  /** Workspaces whose head somebody else moved: nothing of theirs was appended. */
  moved: ReadonlySet<string>;
  /**
   * Appends without a held reservation, or whose id is taken by another call: nothing of their
   * workspace was appended.
   */
  unreserved: ReadonlySet<string>;
  /** Reserves whose proof id was used before, and how it stands. */
  taken: ReadonlyMap<string, ProofIdState>;
  /** Reserves that the balance is too small for. */
  short: ReadonlySet<string>;
  /** Reserves that the balance would do for, but calls in flight hold it. */
  busy: ReadonlySet<string>;
  /** What reserves hold where that is not what they asked for, by proof id. */
  held: ReadonlyMap<string, bigint>;
};

/** The storage behind the books. */
export type BookStorage = {
  /**
   * One transaction. Rejects with KeyRetired when certificates are of a key that is not in force,
   * and otherwise when it is not known to have been committed.
   */
  commit: (
    writes: readonly Exclude<BookWrite, Append>[],
    groups: readonly SealedGroup[],
    keyId: string,
  ) => Promise<CommitProblems>;
  /** Heads of the chains, started at genesis where there is none. */
  loadHeads: (workspaceIds: readonly string[]) => Promise<Map<string, ChainHead>>;
  /** The certificate that a reservation was settled by, under whatever id. */
  findCertificate: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SealedCertificate | undefined>;
};
