import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../load/latency-summary.ts';
import { median } from '../report/summarize-rows.ts';
import { deleteBacklog, fillBacklog, postponeBacklog, readDeliveries } from './backlog.ts';
import { toRate } from './measure-sending.ts';
import type { WebhookTestbed } from './open-webhook-testbed.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { pauseGroup, resumeGroup, waitUntilNonePending } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';

/** Resident memory of the notifier in one state, in MiB. */
export type MemoryState = {
  state: string;
  medianMb: number;
  peakMb: number;
  /** Deliveries a second; set only for the state in which deliveries are sent. */
  perSecond?: number;
};

const SAMPLE_INTERVAL_MS = 100;
const KB_PER_MB = 1_024;
const POSTPONED_MS = 3_600_000;

/**
 * Measures the notifier's memory while deliveries wait for paused webhooks, wait for their due
 * time, and are sent.
 */
export const measureMemory = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  { waiting, sampleMs }: { waiting: number; sampleMs: number },
): Promise<MemoryState[]> => {
  const { pid } = testbed.notifier;
  const countText = waiting.toLocaleString('en');
  const sampleState = (state: string): Promise<MemoryState> => sampleMemory(pid, state, sampleMs);
  const states = [await sampleState('before, all rows measured')];
  const ids = await fillBacklog(testbed, group, waiting);
  states.push(await sampleState(`${countText} wait for paused webhooks`));
  await postponeBacklog(testbed, group, POSTPONED_MS);
  await resumeGroup(testbed, group);
  states.push(await sampleState(`${countText} wait for their time`));
  await postponeBacklog(testbed, group, 0);
  const startedAtMs = monotonicMs();
  const sending = await sampleState(`${countText} are due, and are being sent`);
  await pauseGroup(testbed, group);
  await waitUntilNonePending(testbed, group, { isPaused: true });
  const report = await testbed.receiver.execute({ kind: 'report' });
  states.push({ ...sending, perSecond: toRate(report, startedAtMs).perSecond });
  const storedDeliveries = await readDeliveries(testbed, ids);
  // Includes pending deliveries with a failed attempt, so that `verifyDeliveries` reports them.
  const sent = storedDeliveries.filter(({ attempts }) => attempts > 0);
  if (storedDeliveries.length !== waiting)
    throw new Error(`${storedDeliveries.length} of ${waiting} are left.`);
  verifyDeliveries(sent, report);
  await deleteBacklog(testbed, group);
  states.push(await sampleState('after'));
  return states;
};

export const sampleMemory = async (
  pid: number,
  state: string,
  sampleMs: number,
): Promise<MemoryState> => {
  const samples: number[] = [];
  const endsAt = performance.now() + sampleMs;
  while (performance.now() < endsAt) {
    samples.push(readResidentMb(pid));
    await pause(SAMPLE_INTERVAL_MS);
  }
  return { state, medianMb: median(samples), peakMb: Math.max(...samples) };
};

const readResidentMb = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kilobytes === undefined) throw new Error(`Process ${pid} has ended.`);
  return Number(kilobytes) / KB_PER_MB;
};
