/** Somebody changed a secret, or came with one that is not good; nothing of it is in here. */
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
  /** What it is about: a provider's name, an id of a key, a webhook or a tool. */
  subject: string;
  /** Id of the key that the call was made with; `unknown` when nobody could be told by it. */
  actor: string;
  /** Why a key was refused. */
  detail?: string;
};

/** Writes all entries, or rejects and writes none. */
export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;
