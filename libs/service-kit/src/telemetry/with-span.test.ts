import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { notFound, unavailable } from '@witan/contracts';
import { captureTrace, continueTrace, withoutTrace, toSpanLinks } from './trace-context.ts';
import { openTelemetry } from './open-telemetry.ts';
import type { SpanExporter } from './open-telemetry.ts';
import type { Telemetry } from './open-export.ts';
import { withTracer, recordSpan, withSpan, withSpanOver } from './with-span.ts';
import type { SpanRole } from './with-span.ts';

type Exported = Parameters<SpanExporter['export']>[0];

const SETTINGS = {
  tracesUrl: 'http://collector.invalid/v1/traces',
  sampler: 'parentbased_always_on',
  sampleRatio: 1,
  serviceName: undefined,
  resource: { team: 'night' },
  batchDelayMs: 60_000,
  queueMax: 1_000,
  batchMax: 1_000,
} as const;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let exported: Exported = [];
let telemetry: Telemetry;

const open = async (settings: object = {}): Promise<void> => {
  exported = [];
  const exporter: SpanExporter = {
    export: (spans, onResult) => {
      exported.push(...spans);
      onResult({ code: 0 });
    },
    shutdown: async () => {},
  };
  telemetry = await openTelemetry({ ...SETTINGS, ...settings }, SILENT, exporter);
};
const runInService = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  context.with(withTracer(telemetry.tracerOf(name), ROOT_CONTEXT), work);
const internal = (name: string, work: () => Promise<unknown> = async () => {}): Promise<unknown> =>
  withSpan({ name, role: 'internal' }, work);
const spans = async (): Promise<Map<string, Exported[number]>> => {
  await telemetry.stop();
  return new Map(exported.map((span) => [span.name, span]));
};

describe('spans', () => {
  beforeEach(() => open());
  afterEach(() => telemetry.stop());

  it('belong to the active service and to the enclosing span', async () => {
    const { tracerOf } = telemetry;
    await runInService('api-gateway', () =>
      internal('outer', () =>
        context.with(withTracer(tracerOf('leaf'), context.active()), () => internal('inner')),
      ),
    );
    const spansByName = await spans();
    const [outer, inner] = [spansByName.get('outer')!, spansByName.get('inner')!];
    expect(outer.parentSpanContext).toBeUndefined();
    expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    const names = [outer, inner].map(({ resource }) => resource.attributes['service.name']);
    expect(names).toEqual(['api-gateway', 'leaf']);
    expect(inner.resource.attributes).toMatchObject({
      'service.namespace': 'witan',
      team: 'night',
    });
  });

  it.each<[string, SpanRole, unknown, string, boolean]>([
    ['of a server that is unavailable', 'server', unavailable('x'), 'UNAVAILABLE', true],
    ['of a server that does not find a resource', 'server', notFound('x'), 'NOT_FOUND', false],
    ['of another role', 'internal', notFound('x'), 'NOT_FOUND', true],
    ['of an unexpected error', 'server', new TypeError('my secret'), 'TypeError', true],
    ['of a thrown value that is not an error', 'internal', 'my secret', 'Error', true],
  ])(
    '%s contain the error type but not its message',
    async (_name, role, error, type, hasFailed) => {
      const failingWork = withSpan({ name: 'work', role }, async () => {
        throw error;
      });
      await failingWork.catch(() => {});
      const run = runInService('api-gateway', () =>
        withSpan({ name: 'work', role }, async () => {
          throw error;
        }),
      );
      await expect(run).rejects.toBe(error);
      const span = (await spans()).get('work')!;
      expect(span.attributes['error.type']).toBe(type);
      expect(span.status.code === SpanStatusCode.ERROR).toBe(hasFailed);
      expect([span.events, span.status.message]).toEqual([[], undefined]);
    },
  );

  it('of a client never start a trace', async () => {
    const callClient = () => withSpan({ name: 'asked', role: 'client' }, async () => 7);
    expect(await runInService('api-gateway', callClient)).toBe(7);
    await runInService('api-gateway', () => internal('outer', callClient));
    await telemetry.stop();
    expect(exported.map(({ name }) => name)).toEqual(['asked', 'outer']);
  });

  it('enclose a whole iteration', async () => {
    const steps = async function* () {
      await internal('first');
      yield 1;
      await internal('second');
      yield 2;
    };
    const values: number[] = [];
    await runInService('api-gateway', async () => {
      const role = 'internal' as const;
      for await (const value of withSpanOver({ name: 'all', role }, steps)) values.push(value);
    });
    const spansByName = await spans();
    const allSpanId = spansByName.get('all')!.spanContext().spanId;
    const parents = ['first', 'second'].map(
      (name) => spansByName.get(name)!.parentSpanContext?.spanId,
    );
    expect([values, parents]).toEqual([
      [1, 2],
      [allSpanId, allSpanId],
    ]);
  });

  it('end when the reader stops the iteration', async () => {
    let isReleased = false;
    const steps = async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        isReleased = true;
      }
    };
    await runInService('api-gateway', async () => {
      for await (const value of withSpanOver({ name: 'all', role: 'internal' }, steps)) {
        if (value === 1) break;
      }
    });
    expect([isReleased, [...(await spans()).keys()]]).toEqual([true, ['all']]);
  });

  it('can be recorded afterwards with start time and parent', async () => {
    await runInService('api-gateway', () =>
      internal('outer', async () =>
        recordSpan({ name: 'past', role: 'client', durationMs: 250, errorType: 'timeout' }),
      ),
    );
    const spansByName = await spans();
    const past = spansByName.get('past')!;
    expect(past.parentSpanContext?.spanId).toBe(spansByName.get('outer')!.spanContext().spanId);
    expect(past.duration[0] * 1_000 + past.duration[1] / 1e6).toBeCloseTo(250, 0);
    expect(past.attributes['error.type']).toBe('timeout');
  });

  it('of a batch link to their traces and start a trace of their own', async () => {
    const carriers: Record<string, string>[] = [];
    await runInService('api-gateway', () =>
      internal('one', async () => void carriers.push(captureTrace())),
    );
    await runInService('api-gateway', () =>
      internal('two', async () => void carriers.push(captureTrace())),
    );
    await runInService('api-gateway', () =>
      internal('busy', async () =>
        recordSpan({
          name: 'batch',
          role: 'internal',
          durationMs: 1,
          links: toSpanLinks(carriers),
        }),
      ),
    );
    const spansByName = await spans();
    const batch = spansByName.get('batch')!;
    expect(batch.parentSpanContext).toBeUndefined();
    expect(batch.links.map((link) => link.context.traceId)).toEqual(
      ['one', 'two'].map((name) => spansByName.get(name)!.spanContext().traceId),
    );
  });

  it('continue a propagated trace, and have no parent without one', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await runInService('api-gateway', () =>
      internal('outer', async () => {
        await continueTrace({ traceparent }, () => internal('carried'));
        await withoutTrace(() => internal('alone'));
        await continueTrace({}, () => internal('uncarried'));
      }),
    );
    const spansByName = await spans();
    expect(spansByName.get('carried')!.parentSpanContext).toMatchObject({ spanId: 'b'.repeat(16) });
    expect(spansByName.get('alone')!.parentSpanContext).toBeUndefined();
    expect(spansByName.get('uncarried')!.parentSpanContext).toBeUndefined();
  });
});

describe('openTelemetry', () => {
  afterEach(() => telemetry.stop());

  it('can only be opened once per process', async () => {
    await open();
    await expect(openTelemetry(SETTINGS, SILENT)).rejects.toThrow('already');
  });

  it('propagates no trace and opens no span while nothing is exported', async () => {
    telemetry = await openTelemetry(undefined, SILENT);
    await runInService('api-gateway', () =>
      internal('work', async () => {
        recordSpan({ name: 'past', role: 'client', durationMs: 1, errorType: 'timeout' });
        expect(captureTrace()).toEqual({});
        expect(trace.getSpan(context.active())).toBeUndefined();
      }),
    );
  });

  it.each([
    ['always_off', 1, 0],
    ['traceidratio', 0, 0],
    ['traceidratio', 1, 1],
    ['parentbased_traceidratio', 0, 0],
  ])('samples by %s with the ratio %d', async (sampler, sampleRatio, count) => {
    await open({ sampler, sampleRatio });
    await runInService('api-gateway', () => internal('work'));
    await telemetry.stop();
    expect(exported).toHaveLength(count);
  });

  it('follows the sampling decision of the caller unless the sampler overrides it', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    for (const sampler of ['parentbased_always_on', 'always_on']) {
      await open({ sampler });
      await runInService('api-gateway', () =>
        continueTrace({ traceparent }, () => internal(sampler)),
      );
      await telemetry.stop();
      expect(exported.map(({ name }) => name)).toEqual(sampler === 'always_on' ? [sampler] : []);
    }
  });

  it('stops in time even if the collector never responds', async () => {
    telemetry = await openTelemetry(SETTINGS, SILENT, {
      export: () => {},
      shutdown: () => new Promise(() => {}),
    });
    await runInService('api-gateway', () => internal('work'));
    await expect(telemetry.stop()).resolves.toBeUndefined();
  });
});
