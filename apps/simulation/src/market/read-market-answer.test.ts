import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Depth } from './market-analysis.ts';
import { readMarketAnswer } from './read-market-answer.ts';
import type { Analysis } from './read-market-answer.ts';

type MarketSize = Analysis['marketSize'];

const SIZE = {
  value: 100,
  unit: 'revenue per year',
  currency: 'EUR',
  year: 2025,
  region: 'EU',
  cagrPct: 4,
  low: 80,
  high: 120,
  method: 'top_down',
  confidence: 0.4,
};
const ANSWER = {
  marketSize: SIZE,
  trends: ['Up', 'Down'],
  competitors: [{ name: 'Acme', strengths: ['Price'], estimatedSharePct: 30, confidence: 0.2 }],
  recommendations: [{ title: 'Go', priority: 'HIGH', kpis: ['Leads'] }],
  assumptions: ['The euro stays.'],
};

const ANSWER_CONTEXT = { query: 'How big is it for Acme?', model: 'gpt', finishReason: 'stop' };
const readText = (
  raw: string,
  depth: Depth = 'standard',
  more: Partial<typeof ANSWER_CONTEXT> = {},
) =>
  readMarketAnswer(raw, {
    ...ANSWER_CONTEXT,
    ...more,
    depth,
    readAt: new Date('2026-01-02T03:04:05Z'),
  });
const read = (answer: object, depth?: Depth): Analysis =>
  readText(JSON.stringify({ ...ANSWER, ...answer }), depth).analysis!;
const sizeOf = (answer: object, depth?: Depth): MarketSize =>
  read({ marketSize: { ...SIZE, ...answer } }, depth).marketSize;
const READ = 'No web page and no database was searched';

describe('readMarketAnswer', () => {
  it.each([
    ['an empty answer', ''],
    ['white space', ' \n'],
    ['an object without a member', '{}'],
    [
      'parts that say nothing',
      '{"marketSize":"","trends":[],"competitors":[],"recommendations":[]}',
    ],
    [
      'parts of which nothing can be used',
      '{"marketSize":{"value":"?"},"trends":[" "],"competitors":[{}],"recommendations":[{"title":" "}]}',
    ],
  ])('finds no analysis in %s', (_what, raw) => {
    const { analysis, error } = readText(raw);
    expect([analysis, typeof error]).toEqual([undefined, 'object']);
  });

  it.each([
    ['a description', { marketSize: 'Small.' }],
    ['a figure', { marketSize: { value: 5 } }],
    ['a trend', { trends: ['Up'] }],
  ])('accepts %s alone as an analysis', (_what, answer) => {
    const empty = { marketSize: '', trends: [], competitors: [], recommendations: [] };
    expect(readText(JSON.stringify({ ...empty, ...answer })).analysis).toBeDefined();
  });

  it('reads an analysis, and states that no source was read', () => {
    expect(readText(JSON.stringify(ANSWER))).toEqual({
      analysis: {
        marketSize: { description: null, ...SIZE },
        trends: ['Up', 'Down'],
        competitors: [
          {
            name: 'Acme',
            description: null,
            positioning: null,
            strengths: ['Price'],
            weaknesses: [],
            estimatedSharePct: 30,
            pricing: null,
            url: null,
            evidence: 'provided',
            confidence: 0.2,
          },
        ],
        recommendations: [
          {
            title: 'Go',
            rationale: null,
            priority: 'high',
            effort: null,
            impact: null,
            timeframe: null,
            risks: [],
            kpis: ['Leads'],
          },
        ],
        assumptions: ['The euro stays.', expect.stringContaining(READ)],
        sources: ['The model gpt, from memory: nothing was looked up', 'The question'],
        generatedAt: '2026-01-02T03:04:05.000Z',
        depth: 'standard',
      },
    });
  });

  describe('market size', () => {
    it.each<[string, object, object, RegExp]>([
      ['swaps a reversed range', { low: 120, high: 80 }, { low: 80, high: 120 }, /wrong way round/],
      ['widens a range', { value: 200 }, { low: 80, value: 200, high: 200 }, /was widened/],
      [
        'removes a text without a figure',
        { low: 'much' },
        { low: null, high: 120 },
        /low was left/,
      ],
      ['removes a negative figure', { high: -1 }, { high: null }, /high was left out/],
      ['removes a future year', { year: 2031 }, { year: null }, /year .* was left out/],
      [
        'removes growth that looks like a fraction',
        { cagrPct: 0.05 },
        { cagrPct: null },
        /fraction/,
      ],
      [
        'writes out figures in millions',
        { value: 100, low: 10, high: 1_000, unit: 'million' },
        { value: 100e6, low: 10e6, high: 1_000e6, unit: null },
        /scale/,
      ],
      [
        'leaves figures that are written out already',
        { value: 2e9, low: null, high: null, unit: 'billion EUR' },
        { value: 2e9, unit: null },
        /scale/,
      ],
      ['removes excessive growth', { cagrPct: 5_000 }, { cagrPct: null }, /growth/],
    ])('%s, and states it', (_name, answer, expected, assumption) => {
      const { marketSize, assumptions } = read({ marketSize: { ...SIZE, ...answer } });
      expect(marketSize).toMatchObject(expected);
      expect(assumptions).toContainEqual(expect.stringMatching(assumption));
    });

    it.each<[string, object, object]>([
      ['in order', { tam: 110, sam: 50, som: 10 }, { tam: 110, sam: 50, som: 10 }],
      ['with a SAM above the TAM', { tam: 90, sam: 95, som: 10 }, { tam: 90, sam: null, som: 10 }],
      ['with a SOM above the TAM', { tam: 90, sam: 50, som: 99 }, { tam: 90, sam: 50, som: null }],
      ['with a TAM out of range', { tam: 500, sam: 200 }, { tam: null, sam: null, som: null }],
    ])('compares segments %s', (_name, answer, expected) => {
      expect(sizeOf(answer, 'comprehensive')).toMatchObject(expected);
      expect(sizeOf(answer, 'standard')).not.toHaveProperty('tam');
    });

    it('drops a figure that its description contradicts by about ten times', () => {
      const figures = { value: 1e9, low: 5e8, high: 15e8 };
      const description = 'The market is estimated at around 100 million euros per year.';
      const { marketSize, assumptions } = read({
        marketSize: { ...SIZE, ...figures, description },
      });
      expect(marketSize).toMatchObject({
        ...{ value: null, low: null, high: null },
        description: 'Not known: the figures of the model contradict each other.',
      });
      expect(assumptions).toContainEqual(expect.stringContaining('contradict each other'));
      const agreeing = 'Around 1.2 billion euros, of which 100 million euros are new.';
      expect(sizeOf({ ...figures, description: agreeing })).toMatchObject(figures);
    });

    it.each<[string, unknown, string]>([
      ['plain text', 'About as big as bread.', 'About as big as bread.'],
      ['null values', { value: null }, 'Not known: the model gave no figure.'],
      ['null values and a text', { value: null, description: 'Small.' }, 'Small.'],
    ])('returns %s as a description in the same shape', (_name, marketSize, words) => {
      const { value, low, high, confidence, ...answer } = read({ marketSize }).marketSize;
      expect(answer.description).toBe(words);
      expect({ value, low, high, confidence }).toEqual({
        ...{ value: null, low: null, high: null },
        confidence: 0,
      });
      expect(Object.keys(read({ marketSize }).marketSize)).toEqual(
        Object.keys(read({}).marketSize),
      );
    });

    it('ignores the highest confidence, and parses figures in texts', () => {
      expect(sizeOf({ confidence: 0.5, value: '0.1 k' })).toMatchObject({
        confidence: 0.3,
        value: 100,
      });
    });
  });

  it('removes shares that exceed the market', () => {
    const competitors = [
      { name: 'A', estimatedSharePct: 60 },
      { name: 'B', estimatedSharePct: 60 },
    ];
    const { assumptions, ...analysis } = read({ competitors });
    const shares = analysis.competitors.map(({ estimatedSharePct }) => estimatedSharePct);
    expect(shares).toEqual([null, null]);
    expect(assumptions).toContainEqual(expect.stringContaining('above 100 percent'));
  });

  it('ignores claimed evidence, duplicate competitors and those without a name', () => {
    const competitors = [
      { name: 'Other', evidence: 'web', url: 'https://other.example', confidence: 1 },
      { name: 'ACME!', evidence: 'model_knowledge' },
      { name: 'acme!' },
      { description: 'nobody' },
    ];
    const { assumptions, ...analysis } = read({ competitors });
    expect(
      analysis.competitors.map(({ name, evidence, url, confidence }) => ({
        name,
        evidence,
        url,
        confidence,
      })),
    ).toEqual([
      { name: 'Other', evidence: 'model_knowledge', url: null, confidence: 0.3 },
      { name: 'ACME!', evidence: 'provided', url: null, confidence: 0.3 },
    ]);
    expect(assumptions).toContainEqual(expect.stringContaining('Addresses of competitors'));
  });

  it('removes links and sources except those of the question', () => {
    const trends = ['See https://made.up/a, says [Acme](http://acme.test/x).', 'As www.mine.test!'];
    const raw = JSON.stringify({ ...ANSWER, trends, sources: ['Gartner 2024'] });
    const { analysis } = readText(raw, 'standard', { query: 'Is www.mine.test right?' });
    expect(analysis!.trends).toEqual(['Says Acme.', 'As www.mine.test!']);
    expect(analysis!.assumptions).toEqual([
      'The euro stays.',
      expect.stringContaining('sources that the model named'),
      expect.stringContaining('Links in texts'),
      expect.stringContaining(READ),
    ]);
  });

  it('removes sources named in texts, and states it', () => {
    const { trends, assumptions } = read({ trends: ['It grows (source: Nielsen).'] });
    expect(trends).toEqual(['It grows.']);
    expect(assumptions).toContainEqual(expect.stringContaining('sources that the model named'));
  });

  it.each<[Depth, number]>([
    ['quick', 3],
    ['standard', 5],
    ['comprehensive', 8],
  ])('limits the lists of a %s analysis to %i', (depth, count) => {
    const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
    const { trends, competitors, recommendations } = read(
      {
        trends: names.map((title) => ({ title, description: 'it grows' })),
        competitors: names.map((name) => ({ name })),
        recommendations: names.map((title) => ({ title })),
      },
      depth,
    );
    expect([trends.length, competitors.length, recommendations.length]).toEqual(
      Array.from({ length: 3 }, () => count),
    );
    expect(trends[0]).toBe('N0: it grows');
  });

  it.each<[string, string, string, object]>([
    ['prose', 'I do not know.', 'stop', { error: { kind: 'no-object' } }],
    ['a truncated answer', '{"marketSize": {"value": 1', 'length', { error: { kind: 'cut-off' } }],
    [
      'an unfinished reasoning block',
      '<think>{"trends":[]}',
      'length',
      { error: { kind: 'cut-off' } },
    ],
    [
      'an object of something else',
      '{"a":1}',
      'stop',
      {
        error: {
          kind: 'missing-fields',
          names: ['marketSize', 'trends', 'competitors', 'recommendations'],
        },
      },
    ],
  ])('returns no analysis for %s', (_name, raw, finishReason, expected) => {
    expect(readText(raw, 'quick', { finishReason })).toEqual(expected);
  });

  it('returns an analysis and an error for an answer that lacks a part', () => {
    const { error, analysis } = readText('{"trends":["Up"],"competitors":null}');
    expect(error).toEqual({
      kind: 'missing-fields',
      names: ['marketSize', 'competitors', 'recommendations'],
    });
    expect(analysis).toMatchObject({ trends: ['Up'], competitors: [], recommendations: [] });
  });

  it.each([
    ['after a reasoning block', `<think>{"trends":["no"]}</think>${JSON.stringify(ANSWER)}`],
    ['after a reasoning block without an opening tag', `So.</think>\n${JSON.stringify(ANSWER)}`],
    ['in a fence', `Here:\n\`\`\`json\n${JSON.stringify(ANSWER)}\n\`\`\``],
    ['in a member named analysis', JSON.stringify({ analysis: ANSWER })],
  ])('reads an analysis %s', (_name, raw) => {
    const { analysis, error } = readText(raw);
    expect(error).toBeUndefined();
    expect(analysis!.trends).toEqual(['Up', 'Down']);
  });

  it('returns a valid analysis for any model output', () => {
    const value = fc.oneof(fc.double(), fc.constantFrom('5 %', '-1', 'https://x.y', null, [], {}));
    const size = fc.record(
      Object.fromEntries(
        [...Object.keys(SIZE), 'tam', 'sam', 'som'].map((name) => [name, value] as const),
      ),
    );
    const item = fc.record({
      name: fc.constantFrom('A', 'B', 'C', 'a', '', 'www.x.y'),
      title: fc.string(),
      estimatedSharePct: value,
      url: value,
      strengths: fc.oneof(value, fc.array(value)),
      confidence: value,
    });
    const items = fc.oneof(value, fc.array(fc.oneof(item, value)));
    const answers = fc.record({
      marketSize: fc.oneof(size, value),
      trends: items,
      competitors: items,
      recommendations: items,
      assumptions: items,
    });
    fc.assert(
      fc.property(answers, (answer) => {
        const { analysis } = readText(JSON.stringify(answer), 'comprehensive');
        expect(analysis ? findViolations(analysis) : []).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const findViolations = (analysis: Analysis): string[] => {
  const { marketSize, competitors } = analysis;
  const shares = competitors.map(({ estimatedSharePct }) => estimatedSharePct ?? 0);
  const rows = [
    [marketSize.low, marketSize.value, marketSize.high],
    [marketSize.som, marketSize.sam, marketSize.tam],
    [marketSize.low, marketSize.tam, marketSize.high],
  ].map((row) => row.filter((figure) => typeof figure === 'number'));
  const confidences = [...competitors.map(({ confidence }) => confidence), marketSize.confidence];
  const text = JSON.stringify(analysis);
  const rules = {
    'holds no link': !/https?:|www\./.test(text),
    'comes back from JSON': JSON.stringify(JSON.parse(text)) === text,
    'shares one market': shares.reduce((sum, share) => sum + share, 0) <= 100 + 1e-9,
    'points to no page': competitors.every(({ url }) => url === null),
    'is in order': rows.every((row) =>
      row.every((value, index) => index === 0 || row[index - 1]! <= value),
    ),
    'is not sure': confidences.every((confidence) => confidence >= 0 && confidence <= 0.5),
    'names each once': new Set(competitors.map(({ name }) => name)).size === competitors.length,
  };
  return Object.entries(rules)
    .filter(([, isValid]) => !isValid)
    .map(([rule]) => rule);
};
