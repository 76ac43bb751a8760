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

/** Maximum of concurrent attempts of a webhook, and of a notifier process. */
const PER_WEBHOOK_MAX = 4;
const PER_PROCESS_MAX = 512;

/**
 * Measures the deliveries of a paused group from its resume to the last POST, with the CPU until
 * the last result is written. Throws unless each arrives exactly once, signed.
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

/** Measures as many bare posts to the same receiver, with the same concurrency. */
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

/** Returns the rate from `startedAtMs` to the last POST. */
export const toRate = (
  { arrivals }: ReceiverReport,
  startedAtMs: number,
): { elapsedMs: number; perSecond: number } => {
  const lastAtMs = arrivals.reduce((last, { atMs }) => Math.max(last, atMs), startedAtMs);
  const elapsedMs = lastAtMs - startedAtMs;
  return { elapsedMs, perSecond: (arrivals.length / elapsedMs) * 1_000 };
};

/**
 * Throws InvalidRow unless a `fresh` row has a connection per POST, and a `reused` row few per
 * concurrent attempt.
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

/** Allowed connections per concurrent attempt: old ones may be reopened. */
const REOPENED_MAX = 2;

const inFlightOf = ({ webhooks }: Pick<WebhookGroup, 'webhooks'>): number =>
  Math.min(webhooks.length * PER_WEBHOOK_MAX, PER_PROCESS_MAX);
