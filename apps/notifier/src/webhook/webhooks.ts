import { conflict, invalidRequest, notFound, readPage } from '@witan/contracts';
import type { Page, PageRequest, ServiceError } from '@witan/contracts';
import { encodeSecret, parseEventNames, parseRetrySchedule, previewSecret } from './webhook.ts';
import type {
  ReplaceSecret,
  Webhook,
  WebhookChange,
  WebhookStore,
  WebhookWithSecret,
} from './webhook.ts';

export type WebhooksDeps = {
  store: WebhookStore;
  replaceSecret: ReplaceSecret;
  /**
   * Returns the normalized URL. Throws INVALID_REQUEST, with code `blocked_address` if the policy
   * forbids it.
   */
  checkUrl: (url: string) => Promise<string>;
  newId: (prefix: string) => string;
  newSecretBytes: () => Uint8Array;
  clock: () => Date;
};

export type WebhookDraft = {
  url: string;
  events: readonly string[];
  description?: string;
  retrySchedule?: string;
};

/** Changes that a client requests. An empty description removes the stored description. */
export type RequestedChange = Partial<WebhookDraft> & { isActive?: boolean };

/** Methods with an `id` throw NOT_FOUND if the workspace has no such webhook. */
export type Webhooks = {
  /**
   * Throws INVALID_REQUEST for an invalid draft, or CONFLICT if the workspace already has 50
   * webhooks.
   */
  create: (workspaceId: string, draft: WebhookDraft) => Promise<WebhookWithSecret>;
  list: (workspaceId: string, page: PageRequest) => Promise<Page<Webhook>>;
  get: (workspaceId: string, id: string) => Promise<Webhook>;
  update: (workspaceId: string, id: string, requestedChange: RequestedChange) => Promise<Webhook>;
  remove: (workspaceId: string, id: string) => Promise<void>;
  rotateSecret: (workspaceId: string, id: string) => Promise<WebhookWithSecret>;
};

const WEBHOOKS_MAX = 50;
const DESCRIPTION_LENGTH_MAX = 1_000;
/** Time after a rotation during which deliveries are also signed with the previous secret. */
const ROTATION_MS = 24 * 60 * 60_000;

export const createWebhooks = (deps: WebhooksDeps): Webhooks => ({
  create: (workspaceId, draft) => create(deps, workspaceId, draft),
  list: (workspaceId, page) => readPage(page, (query) => deps.store.list(workspaceId, query)),
  get: async (workspaceId, id) => (await deps.store.find(workspaceId, id)) ?? throwNoSuchWebhook(),
  update: (workspaceId, id, requestedChange) => update(deps, workspaceId, id, requestedChange),
  remove: async (workspaceId, id) => {
    if (!(await deps.store.delete(workspaceId, id))) throw noSuchWebhook();
  },
  rotateSecret: async (workspaceId, id) => {
    const secret = encodeSecret(deps.newSecretBytes());
    const next = { text: secret, preview: previewSecret(secret), previousForMs: ROTATION_MS };
    const webhook = (await deps.replaceSecret(workspaceId, id, next)) ?? throwNoSuchWebhook();
    return { ...webhook, secret };
  },
});

const create = async (
  { store, checkUrl, newId, newSecretBytes, clock }: WebhooksDeps,
  workspaceId: string,
  draft: WebhookDraft,
): Promise<WebhookWithSecret> => {
  const secret = encodeSecret(newSecretBytes());
  const events = parseEventNames(draft.events);
  const description = checkDescription(draft.description ?? '') || null;
  const retrySchedule = parseRetrySchedule(draft.retrySchedule ?? 'standard');
  // The limit is checked before the URL, so that a refused draft causes no DNS lookup. `insert`
  // checks it again, because drafts may be inserted concurrently.
  const stored = await store.list(workspaceId, { limit: WEBHOOKS_MAX });
  if (stored.length >= WEBHOOKS_MAX) throw limitReached();
  const webhook = {
    id: newId('whk'),
    events,
    description,
    url: await checkUrl(draft.url),
    isActive: true,
    retrySchedule,
    disabled: null,
    createdAt: clock(),
    secret,
    secretPreview: previewSecret(secret),
  };
  if (await store.insert(workspaceId, webhook, WEBHOOKS_MAX)) return webhook;
  throw limitReached();
};

const limitReached = (): ServiceError =>
  conflict(`This workspace has ${WEBHOOKS_MAX} webhooks, as many as it may; delete one first.`, {
    code: 'webhook_limit_reached',
  });

const update = async (
  { store, checkUrl }: WebhooksDeps,
  workspaceId: string,
  id: string,
  { url, events, description, isActive, retrySchedule }: RequestedChange,
): Promise<Webhook> => {
  // The webhook is looked up before the URL is checked, so that an unknown id causes no DNS lookup.
  if (!(await store.find(workspaceId, id))) throw noSuchWebhook();
  const change: WebhookChange = {
    ...(events === undefined ? {} : { events: parseEventNames(events) }),
    ...(description === undefined ? {} : { description: checkDescription(description) || null }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(retrySchedule === undefined ? {} : { retrySchedule: parseRetrySchedule(retrySchedule) }),
    ...(url === undefined ? {} : { url: await checkUrl(url) }),
  };
  return (await store.update(workspaceId, id, change)) ?? throwNoSuchWebhook();
};

const checkDescription = (text: string): string => {
  if (text.length <= DESCRIPTION_LENGTH_MAX && !text.includes('\0')) return text;
  const message = `description may have ${DESCRIPTION_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidRequest(message, { param: 'description' });
};

const throwNoSuchWebhook = (): never => {
  throw noSuchWebhook();
};

/**
 * Returns the error for an absent webhook. It is also thrown for webhooks of other workspaces, so
 * that their existence is not revealed.
 */
export const noSuchWebhook = (): ServiceError =>
  notFound('There is no such webhook in this workspace.');
