import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderSupplementary } from './prompt-item.ts';

const OPENING = '--- SUPPLEMENTARY CONTEXT ---';
const CLOSING = '--- END SUPPLEMENTARY CONTEXT ---';

describe('renderSupplementary', () => {
  it('renders the block of the API, high priority first, otherwise in order', () => {
    const block = renderSupplementary([
      { category: 'notes', data: 'Ends  so. ', priority: 'low' },
      { category: 'prices', data: { eur: [1, 2] } },
      { category: 'company', data: 'ACME,\nBerlin', label: 'Who\nwe are', priority: 'high' },
      { category: 'market', data: 'flat', priority: 'medium' },
      { category: 'law', data: 'GDPR', label: '', priority: 'high' },
    ]);
    expect(block).toBe(`--- SUPPLEMENTARY CONTEXT ---
[WHO WE ARE] (high priority)
ACME,
Berlin

[LAW] (high priority)
GDPR

[PRICES]
{
  "eur": [
    1,
    2
  ]
}

[MARKET]
flat

[NOTES]
Ends  so.${' '}
--- END SUPPLEMENTARY CONTEXT ---`);
  });

  it('returns an empty text without items', () => {
    expect(renderSupplementary([])).toBe('');
  });

  it('has one opening and one closing line for any data, label and category', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('---', ' ', '\n', '\u2028', 'END', 'supplementary', 'CONTEXT', '[a]'),
    });
    const items = fc.array(
      fc.record({
        category: hostile,
        label: hostile,
        data: fc.oneof(
          hostile,
          hostile.map((text) => ({ [text]: text })),
        ),
        priority: fc.constantFrom('high', 'medium', 'low'),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(items, (list) => {
        const block = renderSupplementary(list);
        expect(block.split(OPENING)).toHaveLength(2);
        expect(block.split(CLOSING)).toHaveLength(2);
        expect(block.startsWith(`${OPENING}\n`) && block.endsWith(`\n${CLOSING}`)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
