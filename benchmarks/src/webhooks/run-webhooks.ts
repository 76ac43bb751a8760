import type { Bench } from '../bench.ts';
import type { WebhookPreset } from '../preset.ts';
import { readPostgresSettings } from '../database.ts';
import { readBody } from './backlog.ts';
import {
  judgeWebhooks,
  summarizeWebhooks,
  toMemoryTable,
  toWebhookTable,
} from './summarize-webhooks.ts';
import { measureLatency, measurePath, measurePublishing, measureRelay } from './measure-events.ts';
import { measureMemory, sampleMemory } from './measure-memory.ts';
import { measurePosts, measureSending } from './measure-sending.ts';
import { readOutcomes } from './verify-deliveries.ts';
import { openWebhookTestbed } from './open-webhook-testbed.ts';
import type { WebhookTestbed } from './open-webhook-testbed.ts';
import { openWebhookGroup } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';
import {
  CONNECTION_MODES,
  RELAY_LOAD,
  InvalidRow,
  toLatencyLoad,
  toPathLoad,
  toSendingLoad,
} from './webhook-row.ts';
import type { Connection, WebhookMeasurement, WebhookRow, WebhookSystem } from './webhook-row.ts';

type Groups = {
  connection: Connection;
  /** One group for each number of webhooks, with its number of pending deliveries per row. */
  waiting: readonly { group: WebhookGroup; deliveries: number }[];
  /**
   * Group with one webhook per workspace, for events that are measured from outbox or commit to
   * POST.
   */
  path: WebhookGroup;
  /** Body of a delivery, which the bare POSTs send too. */
  body: string;
};

/**
 * Runs a measurement. If deliveries did not arrive as guaranteed, records the reason and returns
 * undefined.
 */
type RunMeasurement = <T>(name: string, measure: () => Promise<T>) => Promise<T | undefined>;

/** Measures one row and adds it to the result; returns undefined if it failed. */
type RecordRow = (
  system: WebhookSystem,
  load: string,
  measure: () => Promise<WebhookMeasurement>,
) => Promise<WebhookMeasurement | undefined>;

const PER_WORKSPACE = 10;
const PATH_WEBHOOKS = 10;
/** Pause between two commits when latency is measured on an idle system. */
const IDLE_GAP_MS = 100;
/** Time for which memory is sampled right after the start of the notifier. */
const STARTUP_SAMPLE_MS = 500;
/** Event rate of the `half load` rows relative to the full rate. */
const HALF_LOAD_SHARE = 0.5;

/**
 * Measures pending deliveries and deliveries of new events, each with reused and with new
 * connections, the outbox relay alone, and the notifier's memory. References are plain POSTs and
 * plain publishes. Verifies every delivery.
 */
export const runWebhooks: Bench = async (context) => {
  const { preset, log } = context;
  const { rounds, webhooks } = preset;
  log('starting PostgreSQL, nats-server, notifier, emitter and receiver');
  const testbed = await openWebhookTestbed(context);
  const startupMemory = await sampleMemory(testbed.notifier.pid, 'just started', STARTUP_SAMPLE_MS);
  const all: Groups[] = [];
  for (const connection of CONNECTION_MODES)
    all.push(await openGroups(testbed, connection, webhooks));
  const rows: WebhookRow[] = [];
  const failures: string[] = [];
  const runMeasurement: RunMeasurement = (name, measure) =>
    measure().catch((error: unknown) => {
      if (!(error instanceof InvalidRow)) throw error;
      failures.push(`${name}: ${error.message}`);
      log(`${name}: FAILED: ${error.message}`);
      return undefined;
    });
  log('warming up');
  for (const groups of all)
    await runMeasurement('warm-up', () => warmUp(testbed, groups, webhooks));
  for (let round = 1; round <= rounds; round += 1) {
    const recordRow: RecordRow = async (system, load, measure) => {
      const name = `round ${round} of ${rounds}: ${load}, ${system}`;
      const measured = await runMeasurement(name, measure);
      if (!measured) return undefined;
      rows.push({ system, load, round, ...measured });
      log(`${name}: ${describeRow(measured)}`);
      return measured;
    };
    for (const groups of all) await measureGroups(testbed, groups, webhooks, recordRow);
    await recordRow('bare publishes', RELAY_LOAD, () =>
      measurePublishing(testbed, webhooks.relayEvents),
    );
    await recordRow('relay', RELAY_LOAD, () => measureRelay(testbed, webhooks.relayEvents));
  }
  log(`watching memory while ${webhooks.waiting} deliveries wait`);
  const largestGroup = all[0]!.waiting.at(-1)!.group;
  const memoryStates = await runMeasurement('memory', () =>
    measureMemory(testbed, largestGroup, webhooks),
  );
  const memory = [startupMemory, ...(memoryStates ?? [])];
  const summary = summarizeWebhooks(rows);
  const checked = rows.filter(({ system }) => system === 'notifier' || system === 'whole path');
  return {
    config: {
      pathWebhooks: PATH_WEBHOOKS,
      idleGapMs: IDLE_GAP_MS,
      bodyBytes: Buffer.byteLength(all[0]!.body),
      postgres: await readPostgresSettings(testbed.postgres.adminUrl),
    },
    rows,
    summary: { rows: summary, memory },
    tables: [toWebhookTable(summary), toMemoryTable(memory)],
    checks: {
      deliveredOnce: checked.reduce((sum, { calls }) => sum + calls, 0),
      signaturesVerified: checked.reduce((sum, row) => sum + (row.signaturesVerified ?? 0), 0),
      attempts: await readOutcomes(testbed.notifier.ready.adminUrl),
    },
    aims: judgeWebhooks(summary, webhookCounts(webhooks)),
    failures,
  };
};

const describeRow = ({ perSecond, latencyMs, cpuPer1000 }: WebhookMeasurement): string =>
  [
    `${perSecond.toFixed(0)}/s`,
    ...(latencyMs
      ? [`p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms`]
      : []),
    `CPU ${cpuPer1000.toFixed(2)}`,
  ].join(', ');

const webhookCounts = ({ deliveries }: WebhookPreset): number[] =>
  Object.keys(deliveries).map(Number);

const openGroups = async (
  testbed: WebhookTestbed,
  connection: Connection,
  preset: WebhookPreset,
): Promise<Groups> => {
  const waiting: Groups['waiting'][number][] = [];
  for (const webhooks of webhookCounts(preset)) {
    const options = { connection, webhooks, perWorkspace: PER_WORKSPACE };
    const group = await openWebhookGroup(testbed, options);
    waiting.push({ group, deliveries: preset.deliveries[webhooks]! });
  }
  const options = { connection, webhooks: PATH_WEBHOOKS, perWorkspace: 1 };
  const path = await openWebhookGroup(testbed, options);
  return { connection, waiting, path, body: await readBody(testbed, path) };
};

const warmUp = async (
  testbed: WebhookTestbed,
  { waiting, path, body }: Groups,
  { warmUpDeliveries: calls }: WebhookPreset,
): Promise<void> => {
  const { group } = waiting.at(-1)!;
  await measurePosts(testbed, { group, body, calls });
  await measureSending(testbed, group, calls);
  await measurePath(testbed, path, calls);
  await measurePublishing(testbed, calls);
  await measureRelay(testbed, calls);
};

const measureGroups = async (
  testbed: WebhookTestbed,
  { connection, waiting, path, body }: Groups,
  preset: WebhookPreset,
  recordRow: RecordRow,
): Promise<void> => {
  for (const { group, deliveries: calls } of waiting) {
    const load = toSendingLoad(group.webhooks.length, connection);
    await recordRow('bare posts', load, () => measurePosts(testbed, { group, body, calls }));
    await recordRow('notifier', load, () => measureSending(testbed, group, calls));
  }
  const idle = { events: preset.idleEvents, gapMs: IDLE_GAP_MS };
  await recordRow('whole path', toLatencyLoad('idle', connection), () =>
    measureLatency(testbed, path, idle),
  );
  const fullRate = await recordRow('whole path', toPathLoad(connection), () =>
    measurePath(testbed, path, preset.pathEvents),
  );
  if (!fullRate) return;
  const gapMs = 1_000 / (HALF_LOAD_SHARE * fullRate.perSecond);
  const halfLoad = { events: Math.ceil(preset.loadMs / gapMs), gapMs };
  await recordRow('whole path', toLatencyLoad('half load', connection), () =>
    measureLatency(testbed, path, halfLoad),
  );
};
