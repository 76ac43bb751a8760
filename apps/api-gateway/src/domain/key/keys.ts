/** A key as it may be shown: never its secret. */
export type KeySummary = {
  id: string;
  name: string;
  /** The first characters of the key's text; they identify it and open nothing. */
  prefix: string;
  scopes: string[];
  workspaceId: string;
  createdAt: Date;
  /** When it ends; for a key that was rotated the end of its grace, if that is earlier. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
};

/** A key that was just made; `key` is the only copy of its text. */
export type MadeKey = KeySummary & { key: string };

/** What a new key is to be. */
export type NewKey = {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: readonly string[];
  /** Absent or null: it does not end by itself. */
  expiresAt?: Date | null;
  /** Who makes it, for the audit: a key's id, or the operator's command. */
  actor: string;
};

/** How a key ends that is followed by another: at once, or when its grace is over. */
export type KeyEnd = { revokedAt: Date } | { graceUntil: Date };

/** Names one key of a workspace, and who acts on it. */
export type KeyChange = { id: string; actor: string };

/** The keys of this installation; every change leaves an audit row in the same transaction. */
export type Keys = {
  create: (key: NewKey) => Promise<MadeKey>;
  /**
   * Up to `limit` keys of the workspace, newest first, beginning behind the key `after`; undefined
   * when the workspace has no such key.
   */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<KeySummary[] | undefined>;
  /**
   * Ends a key for good; idempotent; false when the workspace has none of this id. Nothing happens
   * when `check` throws, which sees a key that is not revoked yet.
   */
  revoke: (
    workspaceId: string,
    change: KeyChange & { check?: (key: KeySummary) => void },
  ) => Promise<boolean>;
  /**
   * Makes a key like this one, which ends as `plan` says; undefined when the workspace has none of
   * this id. Nothing happens when `plan` throws.
   */
  rotate: (
    workspaceId: string,
    change: KeyChange & { plan: (key: KeySummary) => KeyEnd },
  ) => Promise<MadeKey | undefined>;
};
