import { monotonicMs } from '../load/monotonic-clock.ts';
import { accountCpu } from '../measure-row.ts';
import { fillBacklog, readDeliveries } from './backlog.ts';
import type { Stage } from './open-stage.ts';
import type { ReceiverReport } from './receiver.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { PATIENCE_MS, pauseGroup, resumeGroup, whenSettled } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import { InvalidRow } from './webhook-row.ts';
import type { WebhookMeasurement } from './webhook-row.ts';

/** The notifier's maximum of concurrent attempts, per webhook and per process. */
const PER_WEBHOOK_MAX = 4;
const PER_PROCESS_MAX = 512;

/**
 * Measures a paused group's pending deliveries from the resume to the last POST, and CPU until the
 * last result is stored. Throws InvalidRow unless each arrives exactly once, with valid signatures
 * in a sample.
 */
export const measureSending = async (
  stage: Stage,
  group: WebhookGroup,
  deliveries: number,
): Promise<WebhookMeasurement> => {
  const { notifier, postgres, receiver } = stage;
  const ids = await fillBacklog(stage, group, deliveries);
  const accounted = {
    counted: { notifier: notifier.pid, postgres: postgres.pid },
    bystanders: { receiver: receiver.pid },
  };
  let startedAtMs = 0;
  const account = await accountCpu(accounted, async () => {
    const arrived = receiver.ask({ kind: 'await', arrivals: deliveries, timeoutMs: PATIENCE_MS });
    startedAtMs = monotonicMs();
    await Promise.all([resumeGroup(stage, group), arrived]);
    await whenSettled(stage, group);
    return { calls: deliveries };
  });
  const report = await receiver.ask({ kind: 'report' });
  await pauseGroup(stage, group);
  const { signaturesVerified } = verifyDeliveries(await readDeliveries(stage, ids), report);
  verifyConnections(report, group);
  const { connections } = report;
  return { ...account, ...toRate(report, startedAtMs), connections, signaturesVerified };
};

/**
 * Measures `calls` plain POSTs to the same receiver, with the concurrency that the notifier would
 * have.
 */
export const measurePosts = async (
  { poster, receiver }: Stage,
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
  const accounted = {
    counted: { posts: poster.pid },
    bystanders: { receiver: receiver.pid },
  };
  const account = await accountCpu(accounted, () => poster.ask({ ...order, calls }));
  const report = await receiver.ask({ kind: 'report' });
  if (report.arrivals.length !== calls) {
    throw new InvalidRow(`${report.arrivals.length} of ${calls} bare posts came.`);
  }
  verifyConnections(report, group);
  return { ...account, connections: report.connections };
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
 * Throws InvalidRow unless `fresh` deliveries opened a connection per POST, and `reused` ones at
 * most REOPENED_MAX per concurrent attempt.
 */
const verifyConnections = (
  { arrivals, connections }: ReceiverReport,
  { connection, webhooks }: WebhookGroup,
): void => {
  const isRight =
    connection === 'fresh'
      ? connections >= arrivals.length
      : connections <= REOPENED_MAX * inFlightOf({ webhooks });
  if (isRight) return;
  throw new InvalidRow(
    `${arrivals.length} POSTs on ${connections} connections are not ${connection}.`,
  );
};

/** Maximum connections per concurrent attempt; more than one, because closed ones are reopened. */
const REOPENED_MAX = 2;

const inFlightOf = ({ webhooks }: Pick<WebhookGroup, 'webhooks'>): number =>
  Math.min(webhooks.length * PER_WEBHOOK_MAX, PER_PROCESS_MAX);
