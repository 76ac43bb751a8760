/** A complete response that can be sent again. */
export type StoredResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

/** The right to run a call. After the lease ends, another claim can take it over. */
export type Claim = {
  workspaceId: string;
  key: string;
  /** Unique among the claims of one key. */
  claimId: string;
  /**
   * The proof id that the call spends under; inherited from an earlier claim whose lease expired.
   */
  proofId: string;
  /** True if no earlier attempt used the proof id. */
  isFresh: boolean;
};

export type Claimed =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'answered'; response: StoredResponse }
  /** The call ran, but its response was not stored or cannot be decrypted. */
  | { kind: 'unreadable'; proofId: string }
  | { kind: 'running' }
  /** The key was used for a different call. */
  | { kind: 'reused' };

export type Wanted = {
  workspaceId: string;
  key: string;
  requestHash: string;
  claimId: string;
  proofId: string;
  /** Time in which no other claim succeeds, in milliseconds. */
  leaseMs: number;
};

/** Durable records of the calls made with each idempotency key. */
export type IdempotencyRecords = {
  claim: (wanted: Wanted) => Promise<Claimed>;
  /** Stores the response; false if the claim is no longer valid. */
  finish: (claim: Claim, response: StoredResponse) => Promise<boolean>;
  /** Marks the call as done without a stored response; later calls with the key are refused. */
  lose: (claim: Claim) => Promise<void>;
  /** Deletes the record: the next call with the key runs under a new proof id. */
  forget: (claim: Claim) => Promise<void>;
  /** Ends the lease: the next call with the key runs under the same proof id. */
  release: (claim: Claim) => Promise<void>;
  /** Deletes up to `limit` expired records of all workspaces; returns how many. */
  deleteExpired: (limit: number) => Promise<number>;
};
