import { setTimeout as pause } from 'node:timers/promises';
import type { EventContext } from './run-event-fault.ts';

/** Observed deviations from the retry schedule, in milliseconds. */
export type ScheduleOutcome = {
  name: string;
  events: number;
  /**
   * Largest delay of the first attempt after the commit, and of the second and third after their
   * scheduled time.
   */
  latestMs: [first: number, second: number, third: number];
  violations: string[];
};

export const SCHEDULE_NAME = 'events, schedule';
const EVENTS = 10;
/**
 * Time between two events; shorter than the waits for retries, so that the retries of several
 * events overlap.
 */
const EVENT_INTERVAL_MS = 800;
/** Waits between the end of one attempt and the start of the next (docs/spec.md#6). */
const RETRY_WAITS_MS = [1_000, 5_000] as const;
const LATE_MAX_MS = 150;
const LIMIT_MS = 20_000;
const POLL_MS = 50;

/**
 * Checks that each event is sent to a failing endpoint exactly three times: immediately, 1 s after
 * the first response and 5 s after the second. Must run on an idle system.
 */
export const runSchedule = async (context: EventContext): Promise<ScheduleOutcome> => {
  const { receivers, webhooks, emitter } = context;
  const path = '/schedule';
  receivers.setMode(path, { status: 500, afterMs: () => 0 });
  const { id, secret } = await webhooks.create(receivers.urlOf(path));
  receivers.setSecret(path, secret);
  const committedAt = new Map<string, number>();
  for (let count = 1; count <= EVENTS; count += 1) {
    const name = `${SCHEDULE_NAME} ${count}`;
    if (await emitter.emit(name)) committedAt.set(name, Date.now());
    await pause(EVENT_INTERVAL_MS);
  }
  const deadline = Date.now() + LIMIT_MS;
  const all = EVENTS * (RETRY_WAITS_MS.length + 1);
  while (receivers.postsTo(path).length < all && Date.now() < deadline) await pause(POLL_MS);
  // Time in which a fourth attempt would arrive.
  await pause(RETRY_WAITS_MS[1] + LATE_MAX_MS);
  const byName = Map.groupBy(receivers.postsTo(path), ({ name }) => name);
  await webhooks.remove(id);
  const violations: string[] = [];
  const latestMs: ScheduleOutcome['latestMs'] = [0, 0, 0];
  for (const [name, at] of committedAt) {
    const posts = byName.get(name) ?? [];
    if (posts.length !== RETRY_WAITS_MS.length + 1)
      violations.push(`${name}: ${posts.length} attempts`);
    const dueTimes = [
      at,
      ...posts.map(({ answeredAt }, index) => answeredAt + (RETRY_WAITS_MS[index] ?? 0)),
    ];
    for (const [index, { arrivedAt }] of posts.slice(0, latestMs.length).entries()) {
      const lateMs = arrivedAt - dueTimes[index]!;
      latestMs[index] = Math.max(latestMs[index]!, lateMs);
      if (lateMs > LATE_MAX_MS)
        violations.push(`${name}: attempt ${index + 1} was ${lateMs} ms late`);
      // An attempt may appear to be 1 ms early, because times are rounded to milliseconds.
      if (index > 0 && lateMs < -1) violations.push(`${name}: attempt ${index + 1} was early`);
    }
  }
  if (committedAt.size < EVENTS)
    violations.push(`${SCHEDULE_NAME}: only ${committedAt.size} events were committed`);
  return { name: SCHEDULE_NAME, events: EVENTS, latestMs, violations };
};
