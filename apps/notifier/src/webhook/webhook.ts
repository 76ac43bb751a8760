import { EVENT_NAMES, invalidRequest, RETRY_SCHEDULES } from '@witan/contracts';
import type { EventName, RetrySchedule } from '@witan/contracts';

export type Webhook = {
  id: string;
  url: string;
  events: readonly EventName[];
  description: string | null;
  /** False while the webhook is paused or disabled. */
  isActive: boolean;
  retrySchedule: RetrySchedule;
  /** Why the service disabled the webhook; null if it is active or only paused. */
  disabled: { reason: DisabledReason; at: Date } | null;
  createdAt: Date;
  secretPreview: string;
};

/** `gone`: the receiver responded 410, on the standard schedule to the last attempt. */
export type DisabledReason = 'gone';

export type WebhookWithSecret = Webhook & { secret: string };

export type WebhookChange = Partial<
  Pick<Webhook, 'url' | 'events' | 'description' | 'isActive' | 'retrySchedule'>
>;

/** Stores webhooks. Every method treats webhooks of other workspaces as absent. */
export type WebhookStore = {
  /** Inserts a webhook, or returns false if the workspace already has `max` webhooks. */
  insert: (workspaceId: string, webhook: WebhookWithSecret, max: number) => Promise<boolean>;
  /** Returns webhooks, newest first. `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Webhook[]>;
  find: (workspaceId: string, id: string) => Promise<Webhook | undefined>;
  /**
   * Changes a webhook. Resuming it clears `disabled`. Resuming it or setting its URL voids the 410
   * of an attempt that was claimed before.
   */
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

const isEventName = (text: string): text is EventName =>
  (EVENT_NAMES as readonly string[]).includes(text);

/**
 * Returns the event names without duplicates. Throws INVALID_REQUEST if the list is empty or
 * contains an unknown name.
 */
export const parseEventNames = (names: readonly string[]): EventName[] => {
  const known = names.filter(isEventName);
  if (names.length === 0 || known.length < names.length) {
    const message = `events must name one or more of ${EVENT_NAMES.join(', ')}.`;
    throw invalidRequest(message, { param: 'events' });
  }
  return [...new Set(known)];
};

const isRetrySchedule = (text: string): text is RetrySchedule =>
  (RETRY_SCHEDULES as readonly string[]).includes(text);

/** Throws INVALID_REQUEST if there is no such schedule. */
export const parseRetrySchedule = (name: string): RetrySchedule => {
  if (isRetrySchedule(name)) return name;
  const message = `retrySchedule must be one of ${RETRY_SCHEDULES.join(', ')}.`;
  throw invalidRequest(message, { param: 'retrySchedule' });
};

const PREFIX = 'whsec_';
const PREVIEW_LENGTH = 4;

export const SECRET_BYTES = 32;

export const encodeSecret = (bytes: Uint8Array): string =>
  `${PREFIX}${Buffer.from(bytes).toString('base64')}`;

export const decodeSecret = (secret: string): Buffer =>
  Buffer.from(secret.slice(PREFIX.length), 'base64');

export const previewSecret = (secret: string): string =>
  `${PREFIX}…${secret.slice(-PREVIEW_LENGTH)}`;
