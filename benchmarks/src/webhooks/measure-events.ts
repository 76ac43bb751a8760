import { summarizeLatencies } from '../load/latency-summary.ts';
import { accountCpu } from '../measure-row.ts';
import type { CpuAccount } from '../measure-row.ts';
import { readDeliveriesOfEvents } from './backlog.ts';
import type { LoggedDelivery } from './backlog.ts';
import type { Emitted, EmitterAnswer } from './emitter.ts';
import { toRate } from './measure-sending.ts';
import type { Stage } from './open-stage.ts';
import type { ReceiverReport } from './receiver.ts';
import { toLatencies } from './to-latencies.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { PATIENCE_MS, pauseGroup, resumeGroup, whenSettled } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import { InvalidRow } from './webhook-row.ts';
import type { WebhookMeasurement } from './webhook-row.ts';

/** Writes events to the outbox, then measures from the start of the relay to the last POST. */
export const measurePath = async (
  stage: Stage,
  group: WebhookGroup,
  events: number,
): Promise<WebhookMeasurement> => {
  const { emitter, receiver } = stage;
  const { workspaceIds } = group;
  const written = await emitter.ask({ kind: 'write', events, workspaceIds });
  await resumeGroup(stage, group);
  let relayed: EmitterAnswer | undefined;
  const account = await accountCpu(accountedPath(stage), async () => {
    const arrived = receiver.ask({ kind: 'await', arrivals: events, timeoutMs: PATIENCE_MS });
    [relayed] = await Promise.all([emitter.ask({ kind: 'relay', events }), arrived]);
    await whenSettled(stage, group);
    return { calls: events };
  });
  const { report, seen } = await closeGroup(stage, group, written.events);
  return { ...account, ...toRate(report, relayed!.startedAtMs), ...seen };
};

/** Commits events one by one and measures the time from each commit to its POST. */
export const measureLatency = async (
  stage: Stage,
  group: WebhookGroup,
  { events, gapMs }: { events: number; gapMs: number },
): Promise<WebhookMeasurement> => {
  const { emitter, receiver } = stage;
  const { workspaceIds } = group;
  await resumeGroup(stage, group);
  let emitted: EmitterAnswer | undefined;
  const account = await accountCpu(accountedPath(stage), async () => {
    const arrived = receiver.ask({ kind: 'await', arrivals: events, timeoutMs: PATIENCE_MS });
    const emitting = emitter.ask({ kind: 'emit', events, workspaceIds, gapMs });
    [emitted] = await Promise.all([emitting, arrived]);
    await whenSettled(stage, group);
    return { calls: events };
  });
  const { report, logged, seen } = await closeGroup(stage, group, emitted!.events);
  const samples = toLatencies(emitted!.events, logged, report);
  const rate = toRate(report, emitted!.startedAtMs);
  const latencyMs = summarizeLatencies(samples);
  return { ...account, ...rate, latencyMs, ...seen };
};

const accountedPath = ({ emitter, nats, notifier, postgres, receiver }: Stage) => ({
  counted: {
    emitter: emitter.pid,
    nats: nats.pid,
    notifier: notifier.pid,
    postgres: postgres.pid,
  },
  bystanders: { receiver: receiver.pid },
});

/**
 * Pauses the group and returns its deliveries. Throws InvalidRow unless every event became one
 * delivery and every delivery one POST.
 */
const closeGroup = async (
  stage: Stage,
  group: WebhookGroup,
  events: readonly Emitted[],
): Promise<{
  report: ReceiverReport;
  logged: LoggedDelivery[];
  seen: Pick<WebhookMeasurement, 'connections' | 'signaturesVerified'>;
}> => {
  await pauseGroup(stage, group);
  const report = await stage.receiver.ask({ kind: 'report' });
  const logged = await readDeliveriesOfEvents(
    stage,
    events.map(({ id }) => id),
  );
  if (logged.length !== events.length) {
    throw new InvalidRow(`${events.length} events became ${logged.length} deliveries.`);
  }
  const { signaturesVerified } = verifyDeliveries(logged, report);
  const seen = { connections: report.connections, signaturesVerified };
  return { report, logged, seen };
};

/**
 * Writes events to the outbox, then measures until the broker has acknowledged all. No consumer
 * runs.
 */
export const measureRelay = async (
  { alone, postgres }: Stage,
  events: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = alone;
  const { stored } = await emitter.ask({ kind: 'write', events, workspaceIds: WORKSPACES });
  const counted = { relay: emitter.pid, nats: nats.pid, postgres: postgres.pid };
  return accountCpu({ counted, bystanders: {} }, async () =>
    toStored(await emitter.ask({ kind: 'relay', events }), { events, stored }),
  );
};

/** Measures publishing the same payloads directly to the broker, in batches of the relay's size. */
export const measurePublishing = async (
  { alone }: Stage,
  events: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = alone;
  const { stored } = await emitter.ask({ kind: 'publish', events: 1, workspaceIds: WORKSPACES });
  const counted = { publisher: emitter.pid, nats: nats.pid };
  return accountCpu({ counted, bystanders: {} }, async () => {
    const order = { kind: 'publish', events, workspaceIds: WORKSPACES } as const;
    return toStored(await emitter.ask(order), { events, stored });
  });
};

/** Ids of nonexistent workspaces, which have no webhooks. */
const WORKSPACES = Array.from({ length: 10 }, (_, index) => `ws_${index}`);

const toStored = (
  answer: EmitterAnswer,
  { events, stored }: { events: number; stored: number },
): Omit<WebhookMeasurement, keyof CpuAccount> => {
  const added = answer.stored - stored;
  if (added !== events)
    throw new InvalidRow(`The stream holds ${added} more, of ${events} events.`);
  const { elapsedMs } = answer;
  return { calls: events, elapsedMs, perSecond: (events / elapsedMs) * 1_000 };
};
