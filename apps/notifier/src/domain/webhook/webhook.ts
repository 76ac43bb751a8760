import type { EventName } from '@witan/contracts';

/** An endpoint of a workspace that events are posted to, as it may be shown. */
export type Webhook = {
  id: string;
  /** Normalised and judged by the target policy. */
  url: string;
  events: readonly EventName[];
  description: string | null;
  /** False: paused. */
  isActive: boolean;
  createdAt: Date;
  secretPreview: string;
};

/** A webhook together with the only copy of its secret that is ever shown. */
export type WebhookWithSecret = Webhook & { secret: string };

/** Members that change; those that are absent stay. */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'description' | 'isActive'>>;

/** What a workspace keeps of its webhooks. A webhook of another workspace is not there. */
export type WebhookStore = {
  /** False, and nothing is kept, when the workspace has `max` of them already. */
  insert: (workspaceId: string, webhook: WebhookWithSecret, max: number) => Promise<boolean>;
  /** Newest first; `after` is the id of the last one of the page before. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Webhook[]>;
  find: (workspaceId: string, id: string) => Promise<Webhook | undefined>;
  update: (workspaceId: string, id: string, change: WebhookChange) => Promise<Webhook | undefined>;
  /** With the history of its deliveries; false when it is not there. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/** Puts a new secret in the place of the current one, which signs beside it for a while. */
export type ReplaceSecret = (
  workspaceId: string,
  id: string,
  secret: { text: string; preview: string; previousForMs: number },
) => Promise<Webhook | undefined>;
