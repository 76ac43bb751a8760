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
  lastUsedAt: Date | null;
};

export type CreatedKey = KeySummary & { key: string };

export type NewKey = {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: readonly string[];
  expiresAt?: Date | null;
  actor: string;
};

export type KeyEnd = { revokedAt: Date } | { graceUntil: Date };

export type KeyChange = { id: string; actor: string };

export type Keys = {
  create: (key: NewKey) => Promise<CreatedKey>;
  /**
   * Returns up to `limit` keys of the workspace, newest first, after the key `after`. Returns
   * undefined if the workspace has no key `after`.
   */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<KeySummary[] | undefined>;
  /**
   * Revokes a key permanently. Idempotent. Resolves with false if the workspace has no such key.
   * `check` is called with a key that is not revoked yet; if it throws, nothing changes.
   */
  revoke: (
    workspaceId: string,
    change: KeyChange & { check?: (key: KeySummary) => void },
  ) => Promise<boolean>;
  /**
   * Creates a key with the same properties; `plan` returns when the old key ends. Resolves with
   * undefined if the workspace has no such key. If `plan` throws, nothing changes.
   */
  rotate: (
    workspaceId: string,
    change: KeyChange & { plan: (key: KeySummary) => KeyEnd },
  ) => Promise<CreatedKey | undefined>;
};
