/** Somebody changed a secret, or came with one that is not good; nothing of it is in here. */
export type AuditEntry = {
  workspaceId: string;
  action:
    | 'provider.changed'
    | 'provider.removed'
    | 'key.refused'
    | 'webhook.created'
    | 'webhook.rotated'
    | 'webhook.deleted';
  /** What it is about: a provider's name, a key's or a webhook's id. */
  subject: string;
  /** Id of the key that the call was made with; `unknown` when nobody could be told by it. */
  actor: string;
  /** Why a key was refused. */
  detail?: string;
};

/** Writes all entries, or rejects and writes none. */
export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;
