import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openTestSystem } from '@witan/testing';
import { openRunningSystem } from './faults/open-running-system.ts';
import { createHttpClient, PING } from './http-client.ts';
import { openCollector } from './open-collector.ts';
import type { Collector } from './open-collector.ts';

/** Time limit of a test in milliseconds; longer than an installation takes to start and stop. */
const TIMEOUT_MS = 180_000;
const ROOT_SPAN_NAME = 'POST /v1/chat/completions';
const SPAN_NAMES = [
  'witan.llm.v1.CompletionService/Complete',
  'chat witan-offline',
  'write append',
];

describe('exported spans', () => {
  let collector: Collector;
  let home: string;

  beforeEach(async () => {
    collector = await openCollector();
    home = await mkdtemp(join(tmpdir(), 'witan-export-'));
  });
  afterEach(async () => {
    await collector[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  it(
    'reach a collector at the latest when the processes stop',
    async () => {
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        // Processes need the address of a broker. Nothing listens there: the test needs no events.
        NATS_URL: 'nats://127.0.0.1:9',
        // The export interval is longer than the test, so spans arrive only if they are exported at
        // shutdown.
        OTEL_BSP_SCHEDULE_DELAY: '600000',
        OTEL_BSP_MAX_QUEUE_SIZE: '100000',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100000',
      };
      const system = await openRunningSystem(home, env);
      const { status } = await createHttpClient(await system.readFile()).complete(PING);
      expect([status, collector.spans]).toEqual([200, []]);
      expect(await system.stop()).toBe(0);
      const root = collector.spans.find(({ name }) => name === ROOT_SPAN_NAME)!;
      const trace = collector.spans.filter(({ traceId }) => traceId === root.traceId);
      expect(trace.map(({ name }) => name)).toEqual(expect.arrayContaining(SPAN_NAMES));
      expect([...new Set(trace.map(({ service }) => service))].toSorted()).toEqual([
        'api-gateway',
        'ledger',
        'llm-gateway',
      ]);
      const ids = new Set(trace.map(({ spanId }) => spanId));
      expect(trace.filter(({ parentId }) => !ids.has(parentId))).toEqual([root]);
      expect([...collector.contentTypes]).toEqual(['application/x-protobuf']);
    },
    TIMEOUT_MS,
  );
});

describe('an unreachable collector', () => {
  let system: Awaited<ReturnType<typeof openTestSystem>>;

  beforeAll(async () => {
    const collector = await openCollector();
    const { url } = collector;
    await collector[Symbol.asyncDispose]();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '10' };
    system = await openTestSystem({ env });
  });
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
  });

  it('causes a log line and no failed call', async () => {
    const { status } = await createHttpClient(system).complete(PING);
    expect(status).toBe(200);
    const isReported = (text: string): boolean => text.includes('"span_export_failed"');
    await eventually(() => system.logLines.some(isReported), 'The line in the log');
    const lines = system.logLines.filter(isReported).map((text) => JSON.parse(text) as object);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', service: 'stack', lostSpans: expect.any(Number) }),
    ]);
  });
});
