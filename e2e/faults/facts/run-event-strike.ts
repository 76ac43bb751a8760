import { setTimeout as pause } from 'node:timers/promises';
import type { RoundOutcome } from '../run-part.ts';
import { until } from '../until.ts';
import { createHook } from './bench.ts';
import type { EventBench, Hook } from './bench.ts';
import { driveEvents, summarizeLatency } from './drive-events.ts';
import type { EventLoad } from './drive-events.ts';
import { findDeliveryViolations } from './find-delivery-violations.ts';
import type { DeliveryCounts } from './find-delivery-violations.ts';
import { readLog } from './read-log.ts';
import type { LogRow } from './read-log.ts';
import type { EventStrike } from './strikes.ts';

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
 * Makes one strike while events are emitted for new webhooks, and checks that each event is
 * delivered.
 */
export const runEventStrike = async (
  { name, crashes, inject }: EventStrike,
  bench: EventBench,
): Promise<RoundOutcome> => {
  const { receivers, random, emitter, system } = bench;
  const mode = { status: 200, afterMs: () => random.integer(0, ANSWER_MAX_MS) };
  const paths = Array.from({ length: WEBHOOKS }, (_, at) => `/${encodeURIComponent(name)}/${at}`);
  const hooks = await Promise.all(paths.map((path) => createHook(bench, system, { path, mode })));
  const load = driveEvents(emitter, { name, everyMs: EVENT_INTERVAL_MS });
  try {
    await pause(WARM_UP_MS);
    await inject({ ...bench, load });
    await pause(WARM_UP_MS);
  } finally {
    await load.stop();
  }
  const { drainedMs, log } = await untilDelivered(hooks, load, bench);
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
  for (const { remove } of hooks) await remove();
  return {
    figures: {
      crashes,
      counts: sumCounts(found.map(({ counts }) => counts)),
      // Time from the acknowledged commit of an event to its first POST.
      latency: summarizeLatency(load.committed, posts),
      drainedMs,
    },
    violations: [
      ...(committed.length === 0 ? ['no event was committed'] : []),
      ...found.flatMap(({ violations }) => violations),
    ],
  };
};

/** Returns the hooks' rows of the delivery log, and the time until all deliveries were finished. */
const untilDelivered = async (
  hooks: readonly Hook[],
  { committed }: EventLoad,
  { receivers, home }: EventBench,
): Promise<{ drainedMs: number; log: LogRow[] }> => {
  const ids = new Set(hooks.map(({ id }) => id));
  const readOwnLog = async () => (await readLog(home)).filter((row) => ids.has(row.webhookId));
  const hasAll = ({ path }: Hook): boolean => {
    const received = new Set(receivers.postsTo(path).map((post) => post.name));
    return committed.every((one) => received.has(one.name));
  };
  const isDone = async (): Promise<boolean> =>
    hooks.every(hasAll) && (await readOwnLog()).every(({ state }) => state !== 'pending');
  const startedAt = Date.now();
  await until(DRAIN_LIMIT_MS, isDone, POLL_MS);
  const drainedMs = Date.now() - startedAt;
  await pause(EXTRA_POST_WAIT_MS);
  return { drainedMs, log: await readOwnLog() };
};

const sumCounts = (all: readonly DeliveryCounts[]): DeliveryCounts => ({
  // All webhooks of a round receive the same events, so the events of one webhook are counted.
  committed: all[0]?.committed ?? 0,
  posts: all.reduce((sum, { posts }) => sum + posts, 0),
  repeated: all.reduce((sum, { repeated }) => sum + repeated, 0),
  uncommitted: Math.max(0, ...all.map(({ uncommitted }) => uncommitted)),
});
