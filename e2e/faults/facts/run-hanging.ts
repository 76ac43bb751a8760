import { setTimeout as pause } from 'node:timers/promises';
import { createWorkspace } from './create-workspace.ts';
import { driveEvents } from './drive-events.ts';
import { summarizeLatency } from './latency.ts';
import type { Latency } from './latency.ts';
import type { EventContext } from './run-event-fault.ts';
import { openWebhookApi } from './webhook-api.ts';
import type { WebhookApi } from './webhook-api.ts';

/**
 * Result for one healthy endpoint while fifty other endpoints accept requests but never respond.
 */
export type HangingOutcome = {
  name: string;
  hanging: number;
  events: number;
  latency: Latency;
  violations: string[];
};

export const HANGING_NAME = 'events, 50 hanging endpoints';
const HANGING_COUNT = 50;
const HEALTHY = '/healthy';
const EVENT_INTERVAL_MS = 100;
const LOAD_MS = 30_000;
const P95_MAX_MS = 1_000;
const DRAIN_MS = 3_000;

/**
 * Measures the latency of one healthy endpoint while fifty other endpoints accept requests but
 * never respond.
 */
export const runHanging = async (context: EventContext): Promise<HangingOutcome> => {
  const { receivers, webhooks, emitter, system, home } = context;
  const { baseUrl } = await system.readFile();
  // A workspace may have at most fifty webhooks, so one of the 51 belongs to another workspace.
  const other = await createWorkspace(home, 'hanging');
  const removals: (() => Promise<void>)[] = [];
  const subscribe = async (path: string, api: WebhookApi): Promise<void> => {
    const { id, secret } = await api.create(receivers.urlOf(path));
    receivers.setSecret(path, secret);
    removals.push(() => api.remove(id));
  };
  for (let count = 1; count <= HANGING_COUNT; count += 1) {
    const path = `/hanging/${count}`;
    receivers.setMode(path, 'hang');
    const isOther = count === HANGING_COUNT;
    await subscribe(path, isOther ? openWebhookApi({ baseUrl, ...other }) : webhooks);
  }
  await subscribe(HEALTHY, webhooks);
  const emitBoth = async (name: string): Promise<boolean> => {
    void emitter.emit(name, other.workspaceId);
    return emitter.emit(name);
  };
  const load = driveEvents({ emit: emitBoth }, { name: HANGING_NAME, everyMs: EVENT_INTERVAL_MS });
  await pause(LOAD_MS);
  await load.stop();
  await pause(DRAIN_MS);
  const posts = receivers.postsTo(HEALTHY);
  for (const remove of removals) await remove();
  const latency = summarizeLatency(load.committed, posts);
  const violations: string[] = [];
  const received = new Set(posts.map(({ name }) => name));
  const lost = load.committed.filter(({ name }) => !received.has(name)).length;
  if (lost > 0)
    violations.push(`${HANGING_NAME}: ${lost} events were not delivered within ${DRAIN_MS} ms`);
  if (latency.p95 >= P95_MAX_MS)
    violations.push(`${HANGING_NAME}: p95 of the healthy endpoint is ${latency.p95} ms`);
  return {
    name: HANGING_NAME,
    hanging: HANGING_COUNT,
    events: load.committed.length,
    latency,
    violations,
  };
};
