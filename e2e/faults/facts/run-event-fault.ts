import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSystem } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { driveEvents } from './drive-events.ts';
import type { EventLoad } from './drive-events.ts';
import { findDeliveryViolations } from './find-delivery-violations.ts';
import type { DeliveryCounts } from './find-delivery-violations.ts';
import { summarizeLatency } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Emitter } from './open-emitter.ts';
import type { Receivers } from './open-receivers.ts';
import { readLog } from './read-log.ts';
import type { WebhookApi } from './webhook-api.ts';

export type EventContext = {
  home: string;
  system: FaultSystem;
  emitter: Emitter;
  receivers: Receivers;
  webhooks: WebhookApi;
  random: Random;
};

export type EventFault = {
  name: string;
  /** Number of crashes; each may cause one extra POST of a delivery in flight. */
  crashes: number;
  injectFault: (stage: EventContext & { load: EventLoad }) => Promise<void>;
};

/** Result of one fault, summed over its webhooks. */
export type EventOutcome = {
  name: string;
  crashes: number;
  counts: DeliveryCounts;
  /** Time from the acknowledged commit of an event to its first POST. */
  latency: Latency;
  /** Time from the end of the load until all deliveries are finished. */
  drainedMs: number;
  violations: string[];
};

const WEBHOOKS = 3;
export const EVENT_INTERVAL_MS = 40;
/** Maximum delay of a receiver's response, in milliseconds. */
const ANSWER_MAX_MS = 60;
const WARM_UP_MS = 500;
/**
 * Time limit until all deliveries are finished; longer than the longest lease of an attempt and the
 * longest backoff between reconnects.
 */
const DRAIN_LIMIT_MS = 60_000;
/** Time in which a superfluous POST would arrive, in milliseconds. */
const EXTRA_POST_WAIT_MS = 500;
const POLL_MS = 100;

/**
 * Injects one fault while events are emitted for new webhooks, and checks that each event is
 * delivered.
 */
export const runEventFault = async (
  fault: EventFault,
  context: EventContext,
): Promise<EventOutcome> => {
  const { receivers, webhooks, random, emitter, home } = context;
  const { name, crashes } = fault;
  const hooks = await Promise.all(
    Array.from({ length: WEBHOOKS }, async (_, index) => {
      const path = `/${encodeURIComponent(name)}/${index}`;
      receivers.setMode(path, { status: 200, afterMs: () => random.integer(0, ANSWER_MAX_MS) });
      const { id, secret } = await webhooks.create(receivers.urlOf(path));
      receivers.setSecret(path, secret);
      return { id, path };
    }),
  );
  const load = driveEvents(emitter, { name, everyMs: EVENT_INTERVAL_MS });
  try {
    await pause(WARM_UP_MS);
    await fault.injectFault({ ...context, load });
    await pause(WARM_UP_MS);
  } finally {
    await load.stop();
  }
  const ids = new Set(hooks.map(({ id }) => id));
  const readOwnLog = async () => (await readLog(home)).filter((row) => ids.has(row.webhookId));
  const hasAll = ({ path }: { path: string }): boolean => {
    const received = new Set(receivers.postsTo(path).map((post) => post.name));
    return load.committed.every((one) => received.has(one.name));
  };
  const isDone = async (): Promise<boolean> =>
    hooks.every(hasAll) && (await readOwnLog()).every(({ state }) => state !== 'pending');
  const startedAt = Date.now();
  while (Date.now() < startedAt + DRAIN_LIMIT_MS && !(await isDone())) await pause(POLL_MS);
  const drainedMs = Date.now() - startedAt;
  await pause(EXTRA_POST_WAIT_MS);
  const log = await readOwnLog();
  const committed = load.committed.map((one) => one.name);
  const found = hooks.map(({ id, path }) =>
    findDeliveryViolations({
      title: path,
      committed,
      posts: receivers.postsTo(path),
      log: log.filter(({ webhookId }) => webhookId === id),
      crashes,
    }),
  );
  const posts = hooks.flatMap(({ path }) => receivers.postsTo(path));
  for (const { id } of hooks) await webhooks.remove(id);
  return {
    name,
    crashes,
    counts: sumCounts(found.map(({ counts }) => counts)),
    latency: summarizeLatency(load.committed, posts),
    drainedMs,
    violations: found.flatMap(({ violations }) => violations),
  };
};

const sumCounts = (all: readonly DeliveryCounts[]): DeliveryCounts => ({
  // All webhooks of a fault receive the same events, so the events of one webhook are counted.
  committed: all[0]?.committed ?? 0,
  posts: all.reduce((sum, { posts }) => sum + posts, 0),
  repeated: all.reduce((sum, { repeated }) => sum + repeated, 0),
  uncommitted: Math.max(0, ...all.map(({ uncommitted }) => uncommitted)),
});
