/** A key without its secret. */
export type KeySummary = {
  id: string;
  name: string;
  /** The first characters of the key's text, for identification only. */
  prefix: string;
  scopes: string[];
  workspaceId: string;
  createdAt: Date;
  /** Expiry; for a rotated key the end of its grace period, if that is earlier. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
};

/** A new key; `key` is the only copy of its text. */
export type MadeKey = KeySummary & { key: string };

export type NewKey = {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: readonly string[];
  /** Absent or null: never expires. */
  expiresAt?: Date | null;
  /** Recorded in the audit: a key's id, or the operator's command. */
  actor: string;
};

/** A replaced key ends at once, or after its grace period. */
export type KeyEnd = { revokedAt: Date } | { graceUntil: Date };

/** Identifies a key of a workspace, and the actor for the audit. */
export type KeyChange = { id: string; actor: string };

/** The keys of this installation. Every change writes an audit row in the same transaction. */
export type Keys = {
  create: (key: NewKey) => Promise<MadeKey>;
  /**
   * Returns up to `limit` keys of the workspace, newest first, after the key `after`; undefined if
   * the workspace has no such key.
   */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<KeySummary[] | undefined>;
  /**
   * Revokes a key permanently. Idempotent; false if the workspace has no such key. `check` is
   * called with a key that is not revoked yet; if it throws, nothing changes.
   */
  revoke: (
    workspaceId: string,
    change: KeyChange & { check?: (key: KeySummary) => void },
  ) => Promise<boolean>;
  /**
   * Creates a key with the same properties; the old one ends as `plan` returns. Undefined if the
   * workspace has no such key. If `plan` throws, nothing changes.
   */
  rotate: (
    workspaceId: string,
    change: KeyChange & { plan: (key: KeySummary) => KeyEnd },
  ) => Promise<MadeKey | undefined>;
};
