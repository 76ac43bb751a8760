import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeMarketTask, toMarketSchema } from './describe-market-task.ts';
import { readMarketAnswer } from './read-market-answer.ts';
import type { Depth } from './market-analysis.ts';
import type { Analysis } from './read-market-answer.ts';

const SIZE = { value: 100, low: 80, high: 120, currency: 'EUR', year: 2025, confidence: 0.4 };
const ANSWER = {
  marketSize: SIZE,
  trends: ['Up'],
  competitors: [{ name: 'Acme' }],
  recommendations: [{ title: 'Go' }],
  assumptions: ['The euro stays.'],
};
const QUESTION = { query: 'How big is it for Acme?', model: 'gpt', finishReason: 'stop' };
const readText = (raw: string, depth: Depth, more: Partial<typeof QUESTION> = {}) =>
  readMarketAnswer(raw, {
    ...QUESTION,
    ...more,
    depth,
    readAt: new Date('2026-01-02T03:04:05Z'),
  });
const read = (answer: object): Analysis =>
  readText(JSON.stringify({ ...ANSWER, ...answer }), 'standard').analysis!;
const READ = 'No web page and no database was searched';

describe('readMarketAnswer of a small model', () => {
  it('drops a size that is contradicted from all texts', () => {
    // As a model of 0.5 billion parameters wrote it.
    const size = "Germany's oat milk market is estimated to be worth over €1 billion";
    const analysis = read({
      marketSize: { ...SIZE, description: `${size}. It grows.`, value: 1.5e10, unit: null },
      trends: [size, 'Up'],
      recommendations: [{ title: 'Go', rationale: size }],
      assumptions: [`The ${size}`, 'The euro stays.'],
    });
    expect(JSON.stringify(analysis)).not.toMatch(/1 billion/u);
    expect(analysis).toMatchObject({
      marketSize: { description: 'It grows.', value: null },
      trends: ['Up'],
      recommendations: [{ title: 'Go', rationale: null }],
    });
  });

  it('takes no words of the question for a company', () => {
    const query =
      'Route-planning software for small trucking companies in Spain. We compete with Webfleet, ' +
      'against adidas labs and the Bank of Spain.';
    const names = ['Webfleet', 'adidas labs', 'Bank of Spain', 'Acme'];
    const described = ['Route-planning software', 'Small trucking companies in Spain'];
    const competitors = [...names, ...described].map((name) => ({ name }));
    const { analysis } = readText(JSON.stringify({ ...ANSWER, competitors }), 'comprehensive', {
      query,
    });
    expect(analysis!.competitors.map(({ name, evidence }) => [name, evidence])).toEqual([
      ...names.slice(0, 3).map((name) => [name, 'provided']),
      ['Acme', 'model_knowledge'],
    ]);
    expect(analysis!.assumptions.join()).toMatch(/names no company/);
  });

  it('drops rules of the prompt that come back as assumptions', () => {
    const copied = [
      'No web or database',
      'No links',
      'No source',
      'No assumptions',
      'No confidence',
    ];
    const { assumptions } = read({ assumptions: [...copied, 'No war in the region is assumed.'] });
    expect(assumptions).toEqual([
      'No war in the region is assumed.',
      expect.stringContaining(READ),
    ]);
  });

  it('drops words of the schema, and a time that is over', () => {
    const { competitors, recommendations } = read({
      competitors: [{ name: 'Acme', positioning: 'Top-down', description: 'Unknown' }],
      recommendations: [{ title: 'Go', rationale: 'High', timeframe: '2023' }],
    });
    expect(competitors).toMatchObject([{ positioning: null, description: null }]);
    expect(recommendations).toMatchObject([{ rationale: null, timeframe: null }]);
  });

  it.each([
    ['drops', [0.25, 0.1], [null, null]],
    ['keeps small ones beside larger ones of', [0.5, 30], [0.5, 30]],
  ])('%s shares that all look like fractions', (_what, shares, expected) => {
    const { competitors, assumptions } = read({
      competitors: shares.map((estimatedSharePct, index) => ({
        name: `A${index}`,
        estimatedSharePct,
      })),
    });
    expect(competitors.map(({ estimatedSharePct }) => estimatedSharePct)).toEqual(expected);
    expect(assumptions.some((text) => text.includes('fraction'))).toBe(expected[0] === null);
  });
});

type Recorded = { kind: string; finishReason: string; answer: string };
const recorded = readFileSync(
  new URL('../../../../libs/testing/data/real-models-answers.ndjson', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ kind }) => kind.startsWith('market'));

describe('recorded answers of small models', () => {
  it('have the figures that their descriptions do not contradict', () => {
    const sizes = recorded.map(({ answer, finishReason }) => {
      const { analysis, error } = readText(answer, 'quick', { finishReason });
      return error?.kind ?? [analysis!.marketSize.value, analysis!.marketSize.confidence];
    });
    expect(sizes).toEqual([[12_500_000_000, 0.3], [null, 0], 'schema-echo', 'missing-fields']);
  });
});

describe('describeMarketTask', () => {
  it.each(['quick', 'standard', 'comprehensive'] as const)(
    'contains no figure that a model could copy: %s',
    (depth) => {
      const numbers = [...describeMarketTask(depth).matchAll(/\d+/g)].map(([number]) => number);
      // The number of items, three times, and the sum of all shares.
      expect(numbers.map(Number).filter((number) => number > 8)).toEqual([100]);
      expect(JSON.stringify(toMarketSchema(depth))).not.toMatch(/"(?:default|examples?)"/);
    },
  );
});
