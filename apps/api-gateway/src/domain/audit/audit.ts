/** A change of a secret, or a refused key. Never contains the secret itself. */
export type AuditEntry = {
  workspaceId: string;
  action:
    | 'provider.changed'
    | 'provider.removed'
    | 'key.refused'
    | 'webhook.created'
    | 'webhook.rotated'
    | 'webhook.deleted'
    | 'tool.created'
    | 'tool.rotated'
    | 'tool.deleted';
  /** The subject: a provider's name, or the id of a key, webhook or tool. */
  subject: string;
  /** Id of the calling key; `unknown` if the caller could not be identified. */
  actor: string;
  detail?: string;
};

/** Writes all entries, or rejects and writes none. */
export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;
