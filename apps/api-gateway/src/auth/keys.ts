export type KeySummary = {
  id: string;
  name: string;
  /** First characters of the API key's text, by which its owner recognizes it. */
  prefix: string;
  scopes: string[];
  workspaceId: string;
  createdAt: Date;
  /**
   * Time from which the key is refused: its own expiry, or the end of the grace period after its
   * rotation if that is earlier.
   */
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
   * Returns up to `limit` keys of the workspace, newest first, beginning after the key whose id is
   * `after`. Returns undefined if `after` is not a key of the workspace.
   */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<KeySummary[] | undefined>;
  /**
   * Revokes a key permanently; revoking it again changes nothing. Resolves with false if the
   * workspace has no such key. `check` is called with a key that is not revoked yet; if it throws,
   * nothing changes.
   */
  revoke: (
    workspaceId: string,
    change: KeyChange & { check?: (key: KeySummary) => void },
  ) => Promise<boolean>;
  /**
   * Creates a new key with the same name, scopes and expiry; `plan` returns when the old key ends.
   * Resolves with undefined if the workspace has no such key. If `plan` throws, nothing changes.
   */
  rotate: (
    workspaceId: string,
    change: KeyChange & { plan: (key: KeySummary) => KeyEnd },
  ) => Promise<CreatedKey | undefined>;
};

export type Workspace = {
  id: string;
  name: string;
  createdAt: Date;
  /** False if responses of `POST /v1/responses` may not be stored. */
  storesResponses: boolean;
};

export type Workspaces = {
  get: (workspaceId: string) => Promise<Workspace>;
  /** Changes the members that are given. */
  change: (
    workspaceId: string,
    change: Partial<Pick<Workspace, 'name' | 'storesResponses'>>,
  ) => Promise<Workspace>;
};
