/** A whole answer, as it is sent again. */
export type StoredResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

/** The right to carry a call out; whoever claims it after the lease takes the right away. */
export type Claim = {
  workspaceId: string;
  key: string;
  /** Names this claim among those of the same key. */
  claimId: string;
  /** What the call spends under: an earlier claim's, when that one ended without a word. */
  proofId: string;
  /** Nothing was ever tried under the proof id. */
  isFresh: boolean;
};

/** What the records know of a call that wants to be carried out. */
export type Claimed =
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'answered'; response: StoredResponse }
  /** It was carried out, and its answer was not kept or cannot be opened. */
  | { kind: 'unreadable'; proofId: string }
  | { kind: 'running' }
  /** The key stands for another call. */
  | { kind: 'reused' };

/** A call that wants to be carried out, and the names that it would have. */
export type Wanted = {
  workspaceId: string;
  key: string;
  requestHash: string;
  claimId: string;
  proofId: string;
  /** How long nobody else may claim it, in milliseconds. */
  leaseMs: number;
};

/** Which calls were made under which key, durable. */
export type IdempotencyRecords = {
  claim: (wanted: Wanted) => Promise<Claimed>;
  /** Keeps the answer; false when the claim is not in force any more. */
  finish: (claim: Claim, response: StoredResponse) => Promise<boolean>;
  /** The call was carried out and its answer cannot be kept: it is lost for whoever asks again. */
  lose: (claim: Claim) => Promise<void>;
  /** Forgets the call: the next one of its key is carried out anew, under a proof id of its own. */
  forget: (claim: Claim) => Promise<void>;
  /** Ends the lease: the next call of its key is carried out under the same proof id. */
  release: (claim: Claim) => Promise<void>;
  /** Deletes up to `limit` records whose time is over, of every workspace; answers how many. */
  deleteExpired: (limit: number) => Promise<number>;
};
