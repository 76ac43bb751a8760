import { summarizeLatencies } from '../load/latency-summary.ts';
import { accountCpu } from '../measure-row.ts';
import type { CpuAccount } from '../measure-row.ts';
import { readDeliveriesOfFacts } from './backlog.ts';
import type { LoggedDelivery } from './backlog.ts';
import type { Emitted, EmitterAnswer } from './emitter.ts';
import { toRate } from './measure-sending.ts';
import type { Stage } from './open-stage.ts';
import type { ReceiverReport } from './receiver.ts';
import { toLatencies } from './to-latencies.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { PATIENCE_MS, pauseGroup, resumeGroup, whenSettled } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import { RowFault } from './webhook-row.ts';
import type { WebhookMeasurement } from './webhook-row.ts';

/** Waiting events: from the release of the relay to the last POST. */
export const measurePath = async (
  stage: Stage,
  group: WebhookGroup,
  facts: number,
): Promise<WebhookMeasurement> => {
  const { emitter, receiver } = stage;
  const { workspaceIds } = group;
  const written = await emitter.ask({ kind: 'write', facts, workspaceIds });
  await resumeGroup(stage, group);
  let relayed: EmitterAnswer | undefined;
  const account = await accountCpu(accountedPath(stage), async () => {
    const arrived = receiver.ask({ kind: 'await', arrivals: facts, timeoutMs: PATIENCE_MS });
    [relayed] = await Promise.all([emitter.ask({ kind: 'relay', facts }), arrived]);
    await whenSettled(stage, group);
    return { calls: facts };
  });
  const { report, seen } = await closeGroup(stage, group, written.facts);
  return { ...account, ...toRate(report, relayed!.startedAtMs), ...seen };
};

/** Events committed one by one: from each commit to its POST. */
export const measureLatency = async (
  stage: Stage,
  group: WebhookGroup,
  { facts, gapMs }: { facts: number; gapMs: number },
): Promise<WebhookMeasurement> => {
  const { emitter, receiver } = stage;
  const { workspaceIds } = group;
  await resumeGroup(stage, group);
  let emitted: EmitterAnswer | undefined;
  const account = await accountCpu(accountedPath(stage), async () => {
    const arrived = receiver.ask({ kind: 'await', arrivals: facts, timeoutMs: PATIENCE_MS });
    const emitting = emitter.ask({ kind: 'emit', facts, workspaceIds, gapMs });
    [emitted] = await Promise.all([emitting, arrived]);
    await whenSettled(stage, group);
    return { calls: facts };
  });
  const { report, logged, seen } = await closeGroup(stage, group, emitted!.facts);
  const samples = toLatencies(emitted!.facts, logged, report);
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

/** Throws unless every event became one delivery, and every delivery one POST. */
const closeGroup = async (
  stage: Stage,
  group: WebhookGroup,
  facts: readonly Emitted[],
): Promise<{
  report: ReceiverReport;
  logged: LoggedDelivery[];
  seen: Pick<WebhookMeasurement, 'connections' | 'signaturesVerified'>;
}> => {
  await pauseGroup(stage, group);
  const report = await stage.receiver.ask({ kind: 'report' });
  const logged = await readDeliveriesOfFacts(
    stage,
    facts.map(({ id }) => id),
  );
  if (logged.length !== facts.length) {
    throw new RowFault(`${facts.length} facts became ${logged.length} deliveries.`);
  }
  const { signaturesVerified } = verifyDeliveries(logged, report);
  const seen = { connections: report.connections, signaturesVerified };
  return { report, logged, seen };
};

/** Waiting events until the broker has acknowledged all, without a consumer. */
export const measureRelay = async (
  { alone, postgres }: Stage,
  facts: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = alone;
  const { stored } = await emitter.ask({ kind: 'write', facts, workspaceIds: WORKSPACES });
  const counted = { relay: emitter.pid, nats: nats.pid, postgres: postgres.pid };
  return accountCpu({ counted, bystanders: {} }, async () =>
    toStored(await emitter.ask({ kind: 'relay', facts }), { facts, stored }),
  );
};

/** The same payloads without an outbox, in batches of the relay's size. */
export const measurePublishing = async (
  { alone }: Stage,
  facts: number,
): Promise<WebhookMeasurement> => {
  const { emitter, nats } = alone;
  const { stored } = await emitter.ask({ kind: 'publish', facts: 1, workspaceIds: WORKSPACES });
  const counted = { publisher: emitter.pid, nats: nats.pid };
  return accountCpu({ counted, bystanders: {} }, async () => {
    const order = { kind: 'publish', facts, workspaceIds: WORKSPACES } as const;
    return toStored(await emitter.ask(order), { facts, stored });
  });
};

/** Nonexistent workspaces without webhooks. */
const WORKSPACES = Array.from({ length: 10 }, (_, place) => `ws_${place}`);

const toStored = (
  answer: EmitterAnswer,
  { facts, stored }: { facts: number; stored: number },
): Omit<WebhookMeasurement, keyof CpuAccount> => {
  const added = answer.stored - stored;
  if (added !== facts) throw new RowFault(`The stream holds ${added} more, of ${facts} facts.`);
  const { elapsedMs } = answer;
  return { calls: facts, elapsedMs, perSecond: (facts / elapsedMs) * 1_000 };
};
