export type StoredResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

/**
 * The right to run the call of an Idempotency-Key. Once its lease has ended, another request with
 * the key can take it over.
 */
export type Claim = {
  workspaceId: string;
  key: string;
  claimId: string;
  /** Proof id of the call; that of the earlier claim if this one took over an expired lease. */
  proofId: string;
  isFresh: boolean;
};

export type ClaimResult =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'stored'; response: StoredResponse }
  /** The call was carried out, but its response was not stored or cannot be decrypted. */
  | { kind: 'unreadable'; proofId: string }
  | { kind: 'running' }
  | { kind: 'reused' };

export type ClaimRequest = {
  workspaceId: string;
  key: string;
  requestHash: string;
  claimId: string;
  proofId: string;
  leaseMs: number;
};

export type IdempotencyRecords = {
  claim: (claimRequest: ClaimRequest) => Promise<ClaimResult>;
  /**
   * Stores the response of the claimed call. Resolves with false if another claim has replaced this
   * one.
   */
  finish: (claim: Claim, response: StoredResponse) => Promise<boolean>;
  /**
   * Marks the call as done without a stored response; later calls with the Idempotency-Key are
   * refused.
   */
  markLost: (claim: Claim) => Promise<void>;
  /**
   * Deletes the idempotency record, so that the next call with the key runs under a new proof id.
   */
  discard: (claim: Claim) => Promise<void>;
  /** Prolongs the leases of running calls to `leaseMs` from now. */
  extend: (claims: readonly Claim[], leaseMs: number) => Promise<void>;
  /**
   * Ends the lease, so that the next call with the Idempotency-Key runs under the same proof id.
   */
  release: (claim: Claim) => Promise<void>;
  /** Deletes the expired records of every workspace and resolves with their number. */
  deleteExpired: () => Promise<number>;
};
