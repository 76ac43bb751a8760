/** Somebody changed a secret; nothing of the secret is in here. */
export type AuditEntry = {
  workspaceId: string;
  action: 'provider.changed' | 'provider.removed';
  /** What was changed: a provider's name. */
  subject: string;
  /** Id of the key that the call was made with. */
  actor: string;
};

/** Writes all entries, or rejects and writes none. */
export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;
