export type StoredResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

/** The right to run a call. After its lease ends, another claim can replace it. */
export type Claim = {
  workspaceId: string;
  key: string;
  claimId: string;
  /** Proof id of the call; inherited from an earlier claim whose lease expired. */
  proofId: string;
  isFresh: boolean;
};

export type ClaimResult =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'stored'; response: StoredResponse }
  /** The call ran, but its response was not stored or cannot be decrypted. */
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
  /** Stores the response. Resolves with false if the claim is no longer valid. */
  finish: (claim: Claim, response: StoredResponse) => Promise<boolean>;
  /** Marks the call as done without a stored response; later calls with the key are refused. */
  markLost: (claim: Claim) => Promise<void>;
  /** Deletes the record, so that the next call with the key runs under a new proof id. */
  discard: (claim: Claim) => Promise<void>;
  /** Ends the lease, so that the next call with the key runs under the same proof id. */
  release: (claim: Claim) => Promise<void>;
  deleteExpired: (limit: number) => Promise<number>;
};
