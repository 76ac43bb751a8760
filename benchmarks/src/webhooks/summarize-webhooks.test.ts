import { describe, expect, it } from '@jest/globals';
import { judgeWebhooks, summarizeWebhooks } from './summarize-webhooks.ts';
import { toLatencyLoad, toSendingLoad } from './webhook-row.ts';
import type { WebhookRow } from './webhook-row.ts';

const makeRow = (
  system: WebhookRow['system'],
  load: string,
  figures: Partial<WebhookRow> = {},
): WebhookRow => ({
  system,
  load,
  round: 1,
  calls: 100,
  elapsedMs: 100,
  perSecond: 1_000,
  cpuPer1000: 2,
  cpuPer1000By: { notifier: 1.5, postgres: 0.5 },
  bystanderCpuPer1000By: {},
  ...figures,
});

const latency = (p50: number) => ({
  latencyMs: { p50, p95: 2 * p50, p99: 3 * p50, mean: p50, max: 4 * p50 },
});

const REUSED = toSendingLoad(10, 'reused');
const FRESH = toSendingLoad(10, 'fresh');
const ROWS = [
  makeRow('whole path', toLatencyLoad('idle', 'reused'), latency(50)),
  makeRow('whole path', toLatencyLoad('idle', 'fresh'), latency(50)),
  makeRow('bare posts', REUSED, { perSecond: 4_000, cpuPer1000: 0.5 }),
  makeRow('notifier', REUSED, { perSecond: 800 }),
  makeRow('notifier', FRESH, { perSecond: 300 }),
];

describe('summarizeWebhooks', () => {
  it('returns the median of the rounds of a row', () => {
    const rounds = [900, 700, 800].map((perSecond, index) =>
      makeRow('notifier', REUSED, {
        perSecond,
        ...latency(perSecond / 100),
        connections: index,
        cpuPer1000By: { notifier: perSecond, postgres: 1 },
      }),
    );
    expect(summarizeWebhooks(rounds)).toEqual([
      {
        system: 'notifier',
        load: REUSED,
        calls: 100,
        elapsedMs: 100,
        perSecond: 800,
        latencyMs: { p50: 8, p95: 16, p99: 24, mean: 8, max: 32 },
        connections: 1,
        cpuPer1000: 2,
        cpuPer1000By: { notifier: 800, postgres: 1 },
        bystanderCpuPer1000By: {},
        ratios: {},
      },
    ]);
  });

  it('relates a row to the reference of the same load, if there is one', () => {
    const ratios = summarizeWebhooks(ROWS).map((row) => row.ratios);
    expect(ratios).toEqual([{}, {}, {}, { '/s of bare': 0.2, 'CPU of bare': 4 }, {}]);
  });
});

describe('judgeWebhooks', () => {
  it('accepts figures at the limits of their aims', () => {
    const aims = judgeWebhooks(summarizeWebhooks(ROWS), [10]);
    expect(aims.map(({ aim, met }) => [aim, met])).toEqual([
      ['<= 50', true],
      ['<= 50', true],
      ['>= 800', true],
      ['>= 300', true],
    ]);
  });

  it('misses the aims of slower figures', () => {
    const slow = [
      makeRow('whole path', toLatencyLoad('idle', 'reused'), latency(50.1)),
      ...ROWS.slice(1, 3),
      makeRow('notifier', REUSED, { perSecond: 799 }),
      makeRow('notifier', FRESH, { perSecond: 299 }),
    ];
    const missed = judgeWebhooks(summarizeWebhooks(slow), [10]).filter(({ met }) => !met);
    expect(missed.map(({ name }) => name)).toEqual([
      'p50 of commit to POST, idle, reused',
      REUSED,
      FRESH,
    ]);
  });

  it('counts an unmeasured aim as missed', () => {
    const missed = judgeWebhooks(summarizeWebhooks(ROWS.slice(1, 4)), [10]).filter(
      ({ met }) => !met,
    );
    expect(missed.map(({ name }) => name)).toEqual(['p50 of commit to POST, idle, reused', FRESH]);
  });
});
