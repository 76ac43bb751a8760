/** A sign-in to the console: it authenticates with a cookie as the API key `keyId` does. */
export type ConsoleSession = {
  id: string;
  workspaceId: string;
  workspaceName: string;
  userId: string;
  keyId: string;
  keyName: string;
  scopes: readonly string[];
  createdAt: Date;
  /** 12 h after its creation, or the expiry of its API key if that is earlier. */
  expiresAt: Date;
};

export type SessionOwner = { workspaceId: string; keyId: string };

/** Stores sessions. A session whose API key is revoked or has expired counts as ended. */
export type ConsoleSessions = {
  open: (owner: SessionOwner, cookieHash: Buffer) => Promise<ConsoleSession>;
  /**
   * Opens a session for the API key of a one-time link, which then no longer works. Resolves with
   * undefined if there is no such link, or if it or its key has ended.
   */
  redeem: (tokenHash: Buffer, cookieHash: Buffer) => Promise<ConsoleSession | undefined>;
  /**
   * Returns up to `limit` sessions of the workspace, newest first, beginning after the session
   * `after`. Returns undefined if that is not an open session of the workspace.
   */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<ConsoleSession[] | undefined>;
  /**
   * Ends a session. Resolves with false if the workspace has no such open session. If `check`
   * throws, nothing changes.
   */
  end: (
    workspaceId: string,
    change: { id: string; actor: string; check?: (session: ConsoleSession) => void },
  ) => Promise<boolean>;
};

/** Stores a one-time link of an API key and returns when it expires. */
export type CreateConsoleLink = (owner: SessionOwner, tokenHash: Buffer) => Promise<Date>;
