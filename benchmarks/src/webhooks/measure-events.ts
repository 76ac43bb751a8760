import { summarizeLatencies } from '../load/latency-summary.ts';
import { measureCpu } from '../measure-row.ts';
import type { CpuAccount } from '../measure-row.ts';
import { readDeliveriesOfEvents } from './backlog.ts';
import type { StoredDelivery } from './backlog.ts';
import type { EmittedEvent, EmitterAnswer, EmitterCommand } from './emitter.ts';
import { toRate } from './measure-sending.ts';
import type { WebhookTestbed } from './open-webhook-testbed.ts';
import type { ReceiverReport } from './receiver.ts';
import { toLatencies, verifyDeliveries } from './verify-deliveries.ts';
import { pauseGroup, resumeGroup, untilDelivered } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import { InvalidRow } from './webhook-row.ts';
import type { WebhookMeasurement } from './webhook-row.ts';

/** Writes events to the outbox, then measures from the start of the relay to the last POST. */
export const measurePath = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  events: number,
): Promise<WebhookMeasurement> => {
  const order = { kind: 'write', events, workspaceIds: group.workspaceIds } as const;
  const written = await testbed.emitter.execute(order);
  const { measurement } = await measureEvents(testbed, group, { kind: 'relay', events }, written);
  return measurement;
};

/** Commits events one by one and measures the time from each commit to its POST. */
export const measureLatency = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  { events, gapMs }: { events: number; gapMs: number },
): Promise<WebhookMeasurement> => {
  const order = { kind: 'emit', events, workspaceIds: group.workspaceIds, gapMs } as const;
  const measured = await measureEvents(testbed, group, order);
  const { measurement, emitted, storedDeliveries, report } = measured;
  const samples = toLatencies(emitted, storedDeliveries, report);
  return { ...measurement, latencyMs: summarizeLatencies(samples) };
};

/** Resumes the group and measures an order of the emitter until the last result is stored. */
const measureEvents = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  order: EmitterCommand & { kind: 'relay' | 'emit' },
  written?: EmitterAnswer,
) => {
  await resumeGroup(testbed, group);
  const { answer, ...measurement } = await measureCpu(toMeasuredProcesses(testbed), async () => ({
    answer: await untilDelivered(testbed, { group, arrivals: order.events }, () =>
      testbed.emitter.execute(order),
    ),
    calls: order.events,
  }));
  const emitted = (written ?? answer).events;
  const { report, storedDeliveries, verified } = await pauseAndVerify(testbed, group, emitted);
  const rate = toRate(report, answer.startedAtMs);
  return {
    measurement: { ...measurement, ...rate, ...verified },
    emitted,
    report,
    storedDeliveries,
  };
};

const toMeasuredProcesses = ({ emitter, nats, notifier, postgres, receiver }: WebhookTestbed) => ({
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
const pauseAndVerify = async (
  testbed: WebhookTestbed,
  group: WebhookGroup,
  events: readonly EmittedEvent[],
): Promise<{
  report: ReceiverReport;
  storedDeliveries: StoredDelivery[];
  verified: Pick<WebhookMeasurement, 'connections' | 'signaturesVerified'>;
}> => {
  await pauseGroup(testbed, group);
  const report = await testbed.receiver.execute({ kind: 'report' });
  const storedDeliveries = await readDeliveriesOfEvents(
    testbed,
    events.map(({ id }) => id),
  );
  if (storedDeliveries.length !== events.length) {
    throw new InvalidRow(`${events.length} events became ${storedDeliveries.length} deliveries.`);
  }
  const { signaturesVerified } = verifyDeliveries(storedDeliveries, report);
  const verified = { connections: report.connections, signaturesVerified };
  return { report, storedDeliveries, verified };
};

/**
 * Writes events to the outbox, then measures the time until the broker has acknowledged all of
 * them. No consumer runs.
 */
export const measureRelay = async (
  { isolated, postgres }: WebhookTestbed,
  events: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = isolated;
  const { stored } = await emitter.execute({
    kind: 'write',
    events,
    workspaceIds: NONEXISTENT_WORKSPACES,
  });
  const counted = { relay: emitter.pid, nats: nats.pid, postgres: postgres.pid };
  return measureCpu({ counted, bystanders: {} }, async () =>
    toMeasurement(await emitter.execute({ kind: 'relay', events }), { events, stored }),
  );
};

/** Measures publishing the same payloads directly to the broker, in batches of the relay's size. */
export const measurePublishing = async (
  { isolated }: WebhookTestbed,
  events: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = isolated;
  const { stored } = await emitter.execute({
    kind: 'publish',
    events: 1,
    workspaceIds: NONEXISTENT_WORKSPACES,
  });
  const counted = { publisher: emitter.pid, nats: nats.pid };
  return measureCpu({ counted, bystanders: {} }, async () => {
    const order = { kind: 'publish', events, workspaceIds: NONEXISTENT_WORKSPACES } as const;
    return toMeasurement(await emitter.execute(order), { events, stored });
  });
};

/** Ids of nonexistent workspaces, which have no webhooks. */
const NONEXISTENT_WORKSPACES = Array.from({ length: 10 }, (_, index) => `ws_${index}`);

const toMeasurement = (
  answer: EmitterAnswer,
  { events, stored }: { events: number; stored: number },
): Omit<WebhookMeasurement, keyof CpuAccount> => {
  const added = answer.stored - stored;
  if (added !== events)
    throw new InvalidRow(`The stream holds ${added} more, of ${events} events.`);
  const { elapsedMs } = answer;
  return { calls: events, elapsedMs, perSecond: (events / elapsedMs) * 1_000 };
};
