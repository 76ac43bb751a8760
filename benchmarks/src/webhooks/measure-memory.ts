import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../load/monotonic-clock.ts';
import { median } from '../report/median.ts';
import { dropBacklog, fillBacklog, postponeBacklog, readDeliveries } from './backlog.ts';
import { toRate } from './measure-sending.ts';
import type { Stage } from './open-stage.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { pauseGroup, resumeGroup, whenSettled } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';

/** Resident memory of the notifier in one state, in MB. */
export type MemoryState = {
  state: string;
  medianMb: number;
  peakMb: number;
  /** Deliveries a second; set only for the state in which deliveries are sent. */
  perSecond?: number;
};

const EVERY_MS = 100;
const KB_PER_MB = 1_024;
const LATER_MS = 3_600_000;

/**
 * Measures the notifier's memory while deliveries wait for paused webhooks, wait for their due
 * time, and are sent.
 */
export const measureMemory = async (
  stage: Stage,
  group: WebhookGroup,
  { waiting, sampleMs }: { waiting: number; sampleMs: number },
): Promise<MemoryState[]> => {
  const { pid } = stage.notifier;
  const all = waiting.toLocaleString('en');
  const watch = (state: string): Promise<MemoryState> => watchMemory(pid, state, sampleMs);
  const states = [await watch('before, all rows measured')];
  const ids = await fillBacklog(stage, group, waiting);
  states.push(await watch(`${all} wait for paused webhooks`));
  await postponeBacklog(stage, group, LATER_MS);
  await resumeGroup(stage, group);
  states.push(await watch(`${all} wait for their time`));
  await postponeBacklog(stage, group, 0);
  const startedAtMs = monotonicMs();
  const sending = await watch(`${all} are due, and are being sent`);
  await pauseGroup(stage, group);
  await whenSettled(stage, group, { isPaused: true });
  const report = await stage.receiver.ask({ kind: 'report' });
  states.push({ ...sending, perSecond: toRate(report, startedAtMs).perSecond });
  const logged = await readDeliveries(stage, ids);
  // Includes pending deliveries with a failed attempt, which the verification rejects.
  const sent = logged.filter(({ attempts }) => attempts > 0);
  if (logged.length !== waiting) throw new Error(`${logged.length} of ${waiting} are left.`);
  verifyDeliveries(sent, report);
  await dropBacklog(stage, group);
  states.push(await watch('after'));
  return states;
};

export const watchMemory = async (
  pid: number,
  state: string,
  sampleMs: number,
): Promise<MemoryState> => {
  const samples: number[] = [];
  const endsAt = performance.now() + sampleMs;
  while (performance.now() < endsAt) {
    samples.push(readResidentMb(pid));
    await pause(EVERY_MS);
  }
  return { state, medianMb: median(samples), peakMb: Math.max(...samples) };
};

const readResidentMb = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kilobytes === undefined) throw new Error(`Process ${pid} has ended.`);
  return Number(kilobytes) / KB_PER_MB;
};
