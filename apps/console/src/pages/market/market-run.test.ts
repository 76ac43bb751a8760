import { describe, expect, it } from '@jest/globals';
import { EMPTY_DRAFT, toDraft } from './market-draft.ts';
import { applyMarketEvent, failRun, isOpen, startRun, stopRun, updateDraft } from './market-run.ts';
import type { MarketRun } from './market-run.ts';

const TEXT =
  '{"marketSize":{"value":120,"unit":"EUR","low":null},"trends":["Sourdough"],' +
  '"competitors":[{"name":"Paul","positioning":"Cheap"},{"description":"Nameless"}],' +
  '"recommendations":[{"title":"Open early","rationale":"Queues"}],"assumptions":["Prices hold"]}';

const DRAFT = {
  marketSize: [
    { title: 'value', text: '120' },
    { title: 'unit', text: 'EUR' },
  ],
  trends: ['Sourdough'],
  competitors: [{ title: 'Paul', text: 'Cheap' }],
  recommendations: [{ title: 'Open early', text: 'Queues' }],
  assumptions: ['Prices hold'],
};

const delta = (content: string) => ({ event: 'delta', content: { content } });
const EVENTS = [
  { event: 'started', content: { id: 'mka_1', model: 'gpt', proof: 'pf_1' } },
  delta(TEXT.slice(0, 14)),
  { event: 'section', content: { name: 'marketSize' } },
  delta(TEXT.slice(14, 70)),
  { event: 'section', content: { name: 'trends' } },
  delta(TEXT.slice(70)),
  { event: 'usage', content: { totalTokens: 4 } },
  { event: 'completed', content: { id: 'mka_1' } },
];

const apply = (count: number): MarketRun =>
  updateDraft(EVENTS.slice(0, count).reduce(applyMarketEvent, startRun({ query: 'Bread?' }, 0)));

describe('an analysis that is being written', () => {
  it('shows its draft as far as it was written', () => {
    expect(apply(1)).toMatchObject({ status: 'writing', model: 'gpt', draft: EMPTY_DRAFT });
    const { section, draft } = apply(4);
    expect([section, draft.marketSize]).toEqual(['marketSize', DRAFT.marketSize]);
    expect(apply(6)).toMatchObject({ section: 'trends', draft: DRAFT });
  });

  it('has the id of the analysis when it is stored', () => {
    expect([apply(6), apply(8)].map(({ status, id }) => [status, id])).toEqual([
      ['writing', undefined],
      ['done', 'mka_1'],
    ]);
    expect([0, 1, 6, 8].map((count) => isOpen(apply(count)))).toEqual([true, true, true, false]);
  });

  it('keeps question and draft if it fails or is stopped', () => {
    for (const run of [failRun(apply(6), new Error('late')), stopRun(apply(6))]) {
      expect(run).toMatchObject({ question: { query: 'Bread?' }, draft: DRAFT });
      expect(isOpen(run)).toBe(false);
    }
  });

  it('does not change with unknown events and sections', () => {
    const run = apply(4);
    expect(applyMarketEvent(run, { event: 'mood', content: {} })).toBe(run);
    expect(applyMarketEvent(run, { event: 'section', content: { name: 'other' } })).toBe(run);
  });

  it('keeps its draft where the text cannot be read', () => {
    const run = applyMarketEvent(apply(6), delta('} nonsense'));
    expect(updateDraft(run).draft).toEqual(DRAFT);
  });
});

describe('the draft of any value', () => {
  it.each([
    ['no object', 7, EMPTY_DRAFT],
    ['null', null, EMPTY_DRAFT],
    ['members of other shapes', { marketSize: [], trends: {}, competitors: 'Paul' }, EMPTY_DRAFT],
    [
      'a text as market size, and numbers as texts',
      { marketSize: 'Large', trends: [1, null, 'b'] },
      {
        ...EMPTY_DRAFT,
        marketSize: [{ title: 'description', text: 'Large' }],
        trends: ['1', 'b'],
      },
    ],
  ])('has what can be read: %s', (_name, value, draft) => {
    expect(toDraft(value)).toEqual(draft);
  });
});
