import type { EventName } from '@witan/contracts';

export type Webhook = {
  id: string;
  url: string;
  events: readonly EventName[];
  description: string | null;
  /** False while the webhook is paused. */
  isActive: boolean;
  createdAt: Date;
  secretPreview: string;
};

export type WebhookWithSecret = Webhook & { secret: string };

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'description' | 'isActive'>>;

/** Stores webhooks. Every method treats webhooks of other workspaces as absent. */
export type WebhookStore = {
  /** Inserts a webhook, or returns false if the workspace already has `max` webhooks. */
  insert: (workspaceId: string, webhook: WebhookWithSecret, max: number) => Promise<boolean>;
  /** Returns webhooks, newest first. `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Webhook[]>;
  find: (workspaceId: string, id: string) => Promise<Webhook | undefined>;
  update: (workspaceId: string, id: string, change: WebhookChange) => Promise<Webhook | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/**
 * Replaces a webhook's secret. Deliveries are also signed with the previous secret for
 * `previousForMs`.
 */
export type ReplaceSecret = (
  workspaceId: string,
  id: string,
  secret: { text: string; preview: string; previousForMs: number },
) => Promise<Webhook | undefined>;
