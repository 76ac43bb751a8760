import type { EventName } from '@witan/contracts';

/** An endpoint of a workspace that receives events, without its secret. */
export type Webhook = {
  id: string;
  /** Normalized and accepted by the target policy. */
  url: string;
  events: readonly EventName[];
  description: string | null;
  /** False: paused. */
  isActive: boolean;
  createdAt: Date;
  secretPreview: string;
};

/** A webhook with its secret, which is returned only when it is created or rotated. */
export type WebhookWithSecret = Webhook & { secret: string };

/** The members to change. */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'description' | 'isActive'>>;

/** The webhooks of one workspace; those of other workspaces are not found. */
export type WebhookStore = {
  /** Returns false and stores nothing if the workspace has `max` webhooks already. */
  insert: (workspaceId: string, webhook: WebhookWithSecret, max: number) => Promise<boolean>;
  /** Returns webhooks, newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Webhook[]>;
  find: (workspaceId: string, id: string) => Promise<Webhook | undefined>;
  update: (workspaceId: string, id: string, change: WebhookChange) => Promise<Webhook | undefined>;
  /** Deletes a webhook and its deliveries; returns false if it does not exist. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/** Replaces the secret; the previous one also signs for `previousForMs`. */
export type ReplaceSecret = (
  workspaceId: string,
  id: string,
  secret: { text: string; preview: string; previousForMs: number },
) => Promise<Webhook | undefined>;
