import { describe, expect, it } from '@jest/globals';
import { removeReferences } from './remove-references.ts';

const textOf = (text: string, question = '') => removeReferences(text, question).text;

describe('removeReferences', () => {
  it.each([
    ['Oat milk grows 5 % a year, source: Statista 2023.', 'Oat milk grows 5 % a year.'],
    ['Own brands gain (source: Nielsen).', 'Own brands gain.'],
    ['Own brands gain. Source: U.S. Census Bureau. Prices fall.', 'Own brands gain. Prices fall.'],
    ['Eigenmarken wachsen (Quelle: GfK).', 'Eigenmarken wachsen.'],
    ['According to Gartner, spending grows.', 'Spending grows.'],
    ['Spending grows, according to IDC 2024 data.', 'Spending grows.'],
    ['Demand is up; see https://made.up/a.', 'Demand is up.'],
    ['Demand is up (see https://made.up/a).', 'Demand is up.'],
    ['Demand is up. Read more at www.made.up/b', 'Demand is up.'],
    ['Demand is up, see [the report](https://made.up/a).', 'Demand is up.'],
    ['[Acme](http://acme.test/x) leads.', 'Acme leads.'],
  ])('removes references: %s', (input, left) => {
    expect(textOf(input)).toBe(left);
  });

  it.each([
    'Open source: a trend of its own.',
    'The revenue source: advertising.',
    'New sources of growth (sources of demand vary).',
    'Costs per customer fall, see below.',
    'Nielsen sells panel data.',
  ])('leaves texts without references unchanged: %s', (input) => {
    expect(removeReferences(input, '')).toEqual({ text: input, links: 0, sources: 0 });
  });

  it('retains references of the question, and counts removed ones', () => {
    const input = 'Up 5 % (source: Nielsen), says https://a.test and https://b.test';
    expect(removeReferences(input, 'Nielsen says 5 %, https://a.test too')).toEqual({
      text: 'Up 5 % (source: Nielsen), says https://a.test',
      links: 1,
      sources: 0,
    });
    expect(removeReferences('Up (source: Nielsen; source: GfK).', '')).toMatchObject({
      sources: 1,
    });
  });

  it('runs in linear time', () => {
    for (const piece of ['source: ', 'see ', '(source ', 'see https://', '[a](', 'U.S. ']) {
      const { text } = removeReferences(piece.repeat(20_000 / piece.length), '');
      expect(text.length).toBeLessThanOrEqual(20_000);
    }
  });
});
