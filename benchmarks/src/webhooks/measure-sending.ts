import { monotonicMs } from '../load/latency-summary.ts';
import { measureCpu } from '../measure-row.ts';
import { fillBacklog, readDeliveries } from './backlog.ts';
import type { WebhookTestbed } from './open-webhook-testbed.ts';
import type { ReceiverReport } from './receiver.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { pauseGroup, resumeGroup, untilDelivered } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import { InvalidRow } from './webhook-row.ts';
import type { WebhookMeasurement } from './webhook-row.ts';

/** The notifier's maximum of concurrent attempts, per webhook and per process. */
const PER_WEBHOOK_MAX = 4;
const PER_PROCESS_MAX = 512;

/**
 * Measures a paused group's pending deliveries from the resume to the last POST, and CPU until the
 * last result is stored. Throws InvalidRow unless each delivery arrives exactly once and the
 * signatures of a sample are valid.
 */
export const measureSending = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  deliveries: number,
): Promise<WebhookMeasurement> => {
  const { notifier, postgres, receiver } = testbed;
  const ids = await fillBacklog(testbed, group, deliveries);
  const measuredProcesses = {
    counted: { notifier: notifier.pid, postgres: postgres.pid },
    bystanders: { receiver: receiver.pid },
  };
  let startedAtMs = 0;
  const measurement = await measureCpu(measuredProcesses, async () => {
    startedAtMs = monotonicMs();
    const resume = (): Promise<void> => resumeGroup(testbed, group);
    await untilDelivered(testbed, { group, arrivals: deliveries }, resume);
    return { calls: deliveries };
  });
  const report = await receiver.execute({ kind: 'report' });
  await pauseGroup(testbed, group);
  const { signaturesVerified } = verifyDeliveries(await readDeliveries(testbed, ids), report);
  verifyConnections(report, group);
  const { connections } = report;
  return { ...measurement, ...toRate(report, startedAtMs), connections, signaturesVerified };
};

/**
 * Measures `calls` plain POSTs to the same receiver, with the concurrency that the notifier would
 * have.
 */
export const measurePosts = async (
  { poster, receiver }: WebhookTestbed,
  { group, body, calls }: { group: WebhookGroup; body: string; calls: number },
): Promise<WebhookMeasurement> => {
  const { connection } = group;
  const inFlight = inFlightOf(group);
  const order = {
    path: `/${connection}/bare`,
    reusesConnections: connection === 'reused',
    inFlight,
    body,
  };
  const measuredProcesses = {
    counted: { posts: poster.pid },
    bystanders: { receiver: receiver.pid },
  };
  const measurement = await measureCpu(measuredProcesses, () =>
    poster.execute({ ...order, calls }),
  );
  const report = await receiver.execute({ kind: 'report' });
  if (report.arrivals.length !== calls) {
    throw new InvalidRow(`${report.arrivals.length} of ${calls} bare posts came.`);
  }
  verifyConnections(report, group);
  return { ...measurement, connections: report.connections };
};

/** Returns duration and rate of the POSTs from `startedAtMs` to the last one. */
export const toRate = (
  { arrivals }: ReceiverReport,
  startedAtMs: number,
): { elapsedMs: number; perSecond: number } => {
  const lastAtMs = arrivals.reduce((last, { atMs }) => Math.max(last, atMs), startedAtMs);
  const elapsedMs = lastAtMs - startedAtMs;
  return { elapsedMs, perSecond: (arrivals.length / elapsedMs) * 1_000 };
};

/**
 * Throws InvalidRow unless `fresh` deliveries opened at least one connection per POST, and `reused`
 * deliveries at most REOPENED_MAX connections per concurrent attempt.
 */
const verifyConnections = (
  { arrivals, connections }: ReceiverReport,
  { connection, webhooks }: WebhookGroup,
): void => {
  const isExpected =
    connection === 'fresh'
      ? connections >= arrivals.length
      : connections <= REOPENED_MAX * inFlightOf({ webhooks });
  if (isExpected) return;
  throw new InvalidRow(
    `${arrivals.length} POSTs on ${connections} connections are not ${connection}.`,
  );
};

/**
 * Maximum connections per concurrent attempt; more than one, because a closed connection is
 * reopened.
 */
const REOPENED_MAX = 2;

const inFlightOf = ({ webhooks }: Pick<WebhookGroup, 'webhooks'>): number =>
  Math.min(webhooks.length * PER_WEBHOOK_MAX, PER_PROCESS_MAX);
