export type AuditEntry = {
  workspaceId: string;
  action:
    | 'provider.changed'
    | 'provider.removed'
    | 'key.refused'
    | 'console_session.created'
    | 'console_session.ended'
    | 'console_link.created'
    | 'workspace.changed'
    | 'workspace.privacy_changed'
    | 'agent.created'
    | 'agent.changed'
    | 'agent.deleted'
    | 'response.deleted'
    | 'knowledge_source.created'
    | 'knowledge_source.deleted'
    | 'knowledge_source.linked'
    | 'knowledge_source.unlinked'
    | 'knowledge_document.deleted'
    | 'webhook.created'
    | 'webhook.changed'
    | 'webhook.rotated'
    | 'webhook.deleted'
    | 'tool.created'
    | 'tool.changed'
    | 'tool.linked'
    | 'tool.unlinked'
    | 'tool.rotated'
    | 'tool.deleted'
    | 'mcp_server.created'
    | 'mcp_server.accepted'
    | 'mcp_server.deleted';
  subject: string;
  actor: string;
  /** Names of what was changed, or the other object of a link; never values or secrets. */
  detail?: string;
};

export type RecordAudit = (entries: readonly AuditEntry[]) => Promise<void>;

export type AuditEvent = {
  id: string;
  action: string;
  actor: string;
  target: string;
  detail: string | null;
  createdAt: Date;
};

/** Conditions that all must hold; times in milliseconds, both inclusive. */
export type AuditFilter = {
  action?: string | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
};

/**
 * Returns up to `limit` audit events of a workspace, newest first, beginning after the event
 * `after`. Returns undefined if that is not an event of the workspace.
 */
export type ListAudit = (
  workspaceId: string,
  page: AuditFilter & { limit: number; after?: string },
) => Promise<AuditEvent[] | undefined>;
