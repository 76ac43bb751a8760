import { newId } from '@witan/service-kit';
import { EVENT_TYPE } from './make-event.ts';
import type { WebhookTestbed } from './open-webhook-testbed.ts';
import type { Connection } from './webhook-row.ts';

export type WebhookGroup = {
  connection: Connection;
  webhooks: readonly { id: string; workspaceId: string }[];
  workspaceIds: readonly string[];
};

export type GroupOptions = {
  connection: Connection;
  webhooks: number;
  /** Maximum number of webhooks per workspace. */
  perWorkspace: number;
};

/** Longer than any operation that waits for deliveries. */
export const WAIT_TIMEOUT_MS = 240_000;
const CALL_TIMEOUT_MS = 15_000;

/**
 * Creates webhooks through the API and sends one event to each. The delivery of this event is the
 * template of later deliveries. Leaves the webhooks paused.
 */
export const openWebhookGroup = async (
  testbed: WebhookTestbed,
  { connection, webhooks: count, perWorkspace }: GroupOptions,
): Promise<WebhookGroup> => {
  const { host, port } = testbed.receiver.ready;
  const workspaceIds = Array.from({ length: Math.ceil(count / perWorkspace) }, () => newId('ws'));
  const webhooks: { id: string; workspaceId: string }[] = [];
  const secrets: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const workspaceId = workspaceIds[Math.floor(index / perWorkspace)]!;
    const path = `/${connection}/${newId('path')}`;
    const { webhook, secret } = await testbed.webhooks.createWebhook(
      { url: `https://${host}:${port}${path}`, events: [EVENT_TYPE] },
      { workspaceId, timeoutMs: CALL_TIMEOUT_MS },
    );
    webhooks.push({ id: webhook!.id, workspaceId });
    secrets[path] = secret;
  }
  const { emitter, receiver } = testbed;
  await receiver.execute({ kind: 'setSecrets', secrets });
  const events = workspaceIds.length;
  await emitter.execute({ kind: 'emit', events, workspaceIds, gapMs: 1 });
  await receiver.execute({ kind: 'await', arrivals: count, timeoutMs: WAIT_TIMEOUT_MS });
  const group = { connection, webhooks, workspaceIds };
  await waitUntilNonePending(testbed, group);
  await receiver.execute({ kind: 'report' });
  await pauseGroup(testbed, group);
  return group;
};

/** Pauses all webhooks of the group, so that no delivery is leased or added. */
export const pauseGroup = async (testbed: WebhookTestbed, group: WebhookGroup): Promise<void> => {
  await testbed.database.query(SET_ACTIVE, [idsOf(group), false]);
};

/** Resumes all webhooks in one statement and wakes the notifier. */
export const resumeGroup = async (testbed: WebhookTestbed, group: WebhookGroup): Promise<void> => {
  await testbed.database.query(SET_ACTIVE, [idsOf(group), true]);
};

export const idsOf = ({ webhooks }: WebhookGroup): string[] => webhooks.map(({ id }) => id);

const SET_ACTIVE = `
  WITH changed AS (
    UPDATE notifier.webhook SET is_active = $2 WHERE id = ANY ($1) RETURNING 1
  ) SELECT pg_notify('notifier_due', '') FROM (SELECT count(*) FROM changed) AS done`;

const POLL_MS = 20;

/**
 * Resolves when no delivery of the group is pending or, with `isPaused`, when no delivery is
 * leased.
 */
export const waitUntilNonePending = async (
  { database }: WebhookTestbed,
  group: WebhookGroup,
  { isPaused }: { isPaused: boolean } = { isPaused: false },
): Promise<void> => {
  const deadline = performance.now() + WAIT_TIMEOUT_MS;
  for (;;) {
    const { rows } = await database.query(isPaused ? LEASED : PENDING, [idsOf(group)]);
    if (rows.length === 0) return;
    if (performance.now() > deadline)
      throw new Error('Deliveries are still pending after the time limit.');
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
};

/**
 * Calls `start`. Resolves with its result when `arrivals` POSTs have arrived since the last report
 * and no delivery of the group is pending.
 */
export const untilDelivered = async <T>(
  testbed: WebhookTestbed,
  { group, arrivals }: { group: WebhookGroup; arrivals: number },
  start: () => Promise<T>,
): Promise<T> => {
  const order = { kind: 'await', arrivals, timeoutMs: WAIT_TIMEOUT_MS } as const;
  const allArrived = testbed.receiver.execute(order);
  const [result] = await Promise.all([start(), allArrived]);
  await waitUntilNonePending(testbed, group);
  return result;
};

const PENDING = `
  SELECT FROM notifier.delivery WHERE webhook_id = ANY ($1) AND state = 'pending' LIMIT 1`;
const LEASED = `
  SELECT FROM notifier.delivery WHERE webhook_id = ANY ($1) AND lease IS NOT NULL LIMIT 1`;
