import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { notFound, unavailable } from '@witan/contracts';
import { captureTrace, continueTrace, withoutTrace, toSpanLinks } from './trace-context.ts';
import { openTelemetry } from './open-telemetry.ts';
import type { SpanExporter, Telemetry } from './open-telemetry.ts';
import { inServiceOf, recordSpan, withSpan, withSpanOver } from './with-span.ts';
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
const inService = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  context.with(inServiceOf(telemetry.tracerOf(name), ROOT_CONTEXT), work);
const internal = (name: string, work: () => Promise<unknown> = async () => {}): Promise<unknown> =>
  withSpan({ name, role: 'internal' }, work);
/** By name, once all is sent. */
const spans = async (): Promise<Map<string, Exported[number]>> => {
  await telemetry.stop();
  return new Map(exported.map((span) => [span.name, span]));
};

describe('spans', () => {
  beforeEach(() => open());
  afterEach(() => telemetry.stop());

  it('belong to the service that works, and each to the one around it', async () => {
    const { tracerOf } = telemetry;
    await inService('edge', () =>
      internal('outer', () =>
        context.with(inServiceOf(tracerOf('leaf'), context.active()), () => internal('inner')),
      ),
    );
    const seen = await spans();
    const [outer, inner] = [seen.get('outer')!, seen.get('inner')!];
    expect(outer.parentSpanContext).toBeUndefined();
    expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    const names = [outer, inner].map(({ resource }) => resource.attributes['service.name']);
    expect(names).toEqual(['edge', 'leaf']);
    expect(inner.resource.attributes).toMatchObject({
      'service.namespace': 'witan',
      team: 'night',
    });
  });

  it.each<[string, SpanRole, unknown, string, boolean]>([
    ['of a server that is away', 'server', unavailable('x'), 'UNAVAILABLE', true],
    [
      "of a server that was asked for what isn't there",
      'server',
      notFound('x'),
      'NOT_FOUND',
      false,
    ],
    ['of anybody else', 'internal', notFound('x'), 'NOT_FOUND', true],
    ['with a bug', 'server', new TypeError('my secret'), 'TypeError', true],
    ['with what is no error', 'internal', 'my secret', 'Error', true],
  ])('%s say what was thrown, and no word of it', async (_name, role, error, type, hasFailed) => {
    const failing = withSpan({ name: 'work', role }, async () => {
      throw error;
    });
    await failing.catch(() => {});
    const run = inService('edge', () =>
      withSpan({ name: 'work', role }, async () => {
        throw error;
      }),
    );
    await expect(run).rejects.toBe(error);
    const span = (await spans()).get('work')!;
    expect(span.attributes['error.type']).toBe(type);
    expect(span.status.code === SpanStatusCode.ERROR).toBe(hasFailed);
    expect([span.events, span.status.message]).toEqual([[], undefined]);
  });

  it('of a client begin no trace', async () => {
    const ask = () => withSpan({ name: 'asked', role: 'client' }, async () => 7);
    expect(await inService('edge', ask)).toBe(7);
    await inService('edge', () => internal('outer', ask));
    await telemetry.stop();
    expect(exported.map(({ name }) => name)).toEqual(['asked', 'outer']);
  });

  it('last as long as an iteration, and hold what it does', async () => {
    const steps = async function* () {
      await internal('first');
      yield 1;
      await internal('second');
      yield 2;
    };
    const read: number[] = [];
    await inService('edge', async () => {
      const role = 'internal' as const;
      for await (const one of withSpanOver({ name: 'all', role }, steps)) read.push(one);
    });
    const seen = await spans();
    const all = seen.get('all')!.spanContext().spanId;
    const parents = ['first', 'second'].map((name) => seen.get(name)!.parentSpanContext?.spanId);
    expect([read, parents]).toEqual([
      [1, 2],
      [all, all],
    ]);
  });

  it('end with an iteration that its reader leaves', async () => {
    let isLeft = false;
    const steps = async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        isLeft = true;
      }
    };
    await inService('edge', async () => {
      for await (const one of withSpanOver({ name: 'all', role: 'internal' }, steps)) {
        if (one === 1) break;
      }
    });
    expect([isLeft, [...(await spans()).keys()]]).toEqual([true, ['all']]);
  });

  it('of what is over lie where it lay', async () => {
    await inService('edge', () =>
      internal('outer', async () =>
        recordSpan({ name: 'past', role: 'client', durationMs: 250, errorType: 'timeout' }),
      ),
    );
    const seen = await spans();
    const past = seen.get('past')!;
    expect(past.parentSpanContext?.spanId).toBe(seen.get('outer')!.spanContext().spanId);
    expect(past.duration[0] * 1_000 + past.duration[1] / 1e6).toBeCloseTo(250, 0);
    expect(past.attributes['error.type']).toBe('timeout');
  });

  it('of a batch point to the traces that it was for, and are part of none', async () => {
    const carried: Record<string, string>[] = [];
    await inService('edge', () => internal('one', async () => void carried.push(captureTrace())));
    await inService('edge', () => internal('two', async () => void carried.push(captureTrace())));
    await inService('edge', () =>
      internal('busy', async () =>
        recordSpan({ name: 'batch', role: 'internal', durationMs: 1, links: toSpanLinks(carried) }),
      ),
    );
    const seen = await spans();
    const batch = seen.get('batch')!;
    expect(batch.parentSpanContext).toBeUndefined();
    expect(batch.links.map((link) => link.context.traceId)).toEqual(
      ['one', 'two'].map((name) => seen.get(name)!.spanContext().traceId),
    );
  });

  it('go on where a carried trace was, and outside of it nowhere', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await inService('edge', () =>
      internal('outer', async () => {
        await continueTrace({ traceparent }, () => internal('carried'));
        await withoutTrace(() => internal('alone'));
        await continueTrace({}, () => internal('uncarried'));
      }),
    );
    const seen = await spans();
    expect(seen.get('carried')!.parentSpanContext).toMatchObject({ spanId: 'b'.repeat(16) });
    expect(seen.get('alone')!.parentSpanContext).toBeUndefined();
    expect(seen.get('uncarried')!.parentSpanContext).toBeUndefined();
  });
});

describe('a process', () => {
  afterEach(() => telemetry.stop());

  it('exports once', async () => {
    await open();
    await expect(openTelemetry(SETTINGS, SILENT)).rejects.toThrow('already');
  });

  it('carries no trace and opens no span while nothing is exported', async () => {
    telemetry = await openTelemetry(undefined, SILENT);
    await inService('edge', () =>
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
  ])('samples by %s of %d', async (sampler, sampleRatio, count) => {
    await open({ sampler, sampleRatio });
    await inService('edge', () => internal('work'));
    await telemetry.stop();
    expect(exported).toHaveLength(count);
  });

  it('follows the wish of a caller, unless the sampler says otherwise', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    for (const sampler of ['parentbased_always_on', 'always_on']) {
      await open({ sampler });
      await inService('edge', () => continueTrace({ traceparent }, () => internal(sampler)));
      await telemetry.stop();
      expect(exported.map(({ name }) => name)).toEqual(sampler === 'always_on' ? [sampler] : []);
    }
  });

  it('ends in time although the collector never answers', async () => {
    telemetry = await openTelemetry(SETTINGS, SILENT, {
      export: () => {},
      shutdown: () => new Promise(() => {}),
    });
    await inService('edge', () => internal('work'));
    await expect(telemetry.stop()).resolves.toBeUndefined();
  });
});
