import { setTimeout as pause } from 'node:timers/promises';
import type { RoundOutcome } from '../run-part.ts';
import { until } from '../until.ts';
import { createHook } from './bench.ts';
import type { EventBench } from './bench.ts';
import type { Post } from './open-receivers.ts';

const EVENTS = 10;
/**
 * Time between two events; shorter than the waits for retries, so that the retries of several
 * events overlap.
 */
const EVENT_INTERVAL_MS = 800;
/** Waits between the end of one attempt and the start of the next (docs/spec.md#6). */
const RETRY_WAITS_MS = [1_000, 5_000] as const;
const ATTEMPTS = RETRY_WAITS_MS.length + 1;
const LATE_MAX_MS = 150;
const LIMIT_MS = 20_000;

/**
 * Checks that each event is sent to a failing endpoint exactly three times: immediately, 1 s after
 * the first response and 5 s after the second. Must run on an idle system.
 */
export const runSchedule = async (bench: EventBench): Promise<RoundOutcome> => {
  const { receivers, emitter, system } = bench;
  const path = '/schedule';
  const mode = { status: 500, afterMs: () => 0 };
  const { remove } = await createHook(bench, system, { path, mode });
  const committedAt = new Map<string, number>();
  for (let count = 1; count <= EVENTS; count += 1) {
    const name = `scheduled ${count}`;
    if (await emitter.emit(name)) committedAt.set(name, Date.now());
    await pause(EVENT_INTERVAL_MS);
  }
  await until(LIMIT_MS, () => receivers.postsTo(path).length >= EVENTS * ATTEMPTS);
  // Time in which a fourth attempt would arrive.
  await pause(RETRY_WAITS_MS[1] + LATE_MAX_MS);
  const byName = Map.groupBy(receivers.postsTo(path), ({ name }) => name);
  await remove();
  const violations: string[] = [];
  // Largest delay of the first attempt after the commit, and of the others after their due time.
  const latestMs = Array.from({ length: ATTEMPTS }, () => 0);
  for (const [name, at] of committedAt) {
    const posts = byName.get(name) ?? [];
    if (posts.length !== ATTEMPTS) violations.push(`${name}: ${posts.length} attempts`);
    for (const [index, lateMs] of measureDelays(at, posts).slice(0, ATTEMPTS).entries()) {
      latestMs[index] = Math.max(latestMs[index]!, lateMs);
      if (lateMs > LATE_MAX_MS)
        violations.push(`${name}: attempt ${index + 1} was ${lateMs} ms late`);
      // An attempt may appear to be 1 ms early, because times are rounded to milliseconds.
      if (index > 0 && lateMs < -1) violations.push(`${name}: attempt ${index + 1} was early`);
    }
  }
  if (committedAt.size < EVENTS) violations.push(`only ${committedAt.size} events were committed`);
  return { figures: { events: EVENTS, latestMs }, violations };
};

/** Returns how late each attempt arrived; the first is due at once, the others after their wait. */
const measureDelays = (committedAt: number, posts: readonly Post[]): number[] =>
  posts.map(({ arrivedAt }, index) => {
    const before = posts[index - 1];
    const dueAt = before ? before.answeredAt + (RETRY_WAITS_MS[index - 1] ?? 0) : committedAt;
    return arrivedAt - dueAt;
  });
