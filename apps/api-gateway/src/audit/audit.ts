export type AuditEntry = {
  workspaceId: string;
  action:
    | 'provider.changed'
    | 'provider.removed'
    | 'key.refused'
    | 'console_session.created'
    | 'console_session.ended'
    | 'console_link.created'
    | 'webhook.created'
    | 'webhook.rotated'
    | 'webhook.deleted'
    | 'tool.created'
    | 'tool.rotated'
    | 'tool.deleted';
  subject: string;
  actor: string;
  detail?: string;
};

export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;
