import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RoundOutcome } from '../run-part.ts';
import { createHook } from './bench.ts';
import type { EventBench, Hook } from './bench.ts';
import { driveEvents, summarizeLatency } from './drive-events.ts';

const WITAN = fileURLToPath(new URL('../../../tools/witan/src/main.ts', import.meta.url));
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
export const runHangingEndpoints = async (bench: EventBench): Promise<RoundOutcome> => {
  const { receivers, emitter, system, home } = bench;
  // A workspace may have at most fifty webhooks, so one of the 51 belongs to another workspace.
  const other = await createWorkspace(home, 'hanging');
  const hooks: Hook[] = [];
  for (let count = 1; count <= HANGING_COUNT; count += 1) {
    const workspace = count === HANGING_COUNT ? { ...system, ...other } : system;
    hooks.push(await createHook(bench, workspace, { path: `/hanging/${count}`, mode: 'hang' }));
  }
  const mode = { status: 200, afterMs: () => 0 };
  hooks.push(await createHook(bench, system, { path: HEALTHY, mode }));
  const emitBoth = async (name: string): Promise<boolean> => {
    void emitter.emit(name, other.workspaceId);
    return emitter.emit(name);
  };
  const load = driveEvents({ emit: emitBoth }, { name: 'hanging', everyMs: EVENT_INTERVAL_MS });
  await pause(LOAD_MS);
  await load.stop();
  await pause(DRAIN_MS);
  const posts = receivers.postsTo(HEALTHY);
  for (const { remove } of hooks) await remove();
  const latency = summarizeLatency(load.committed, posts);
  const received = new Set(posts.map(({ name }) => name));
  const lost = load.committed.filter(({ name }) => !received.has(name)).length;
  return {
    figures: { hanging: HANGING_COUNT, events: load.committed.length, latency },
    violations: [
      ...(lost === 0 ? [] : [`${lost} events were not delivered within ${DRAIN_MS} ms`]),
      ...(latency.p95 < P95_MAX_MS ? [] : [`p95 of the healthy endpoint is ${latency.p95} ms`]),
    ],
  };
};

/** Runs `witan workspace create NAME`; returns the workspace and its API key. */
const createWorkspace = async (
  home: string,
  name: string,
): Promise<{ workspaceId: string; apiKey: string }> => {
  const args = ['--disable-warning=ExperimentalWarning', WITAN, 'workspace', 'create', name];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--json'], {
    env: { WITAN_HOME: home },
  });
  return JSON.parse(stdout) as { workspaceId: string; apiKey: string };
};
