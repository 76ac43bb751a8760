import { describe, expect, it } from '@jest/globals';
import { checkFields } from './describe-shape.ts';

const FIELDS = { summary: 'One sentence', risk: 'low, medium or high' };

describe('checkFields', () => {
  it('lists every missing field', () => {
    expect(checkFields({ risk: 1 }, FIELDS)).toEqual({
      kind: 'missing-fields',
      names: ['summary'],
    });
    expect(checkFields({}, { toString: 'An inherited name' })).toEqual({
      kind: 'missing-fields',
      names: ['toString'],
    });
  });

  it('accepts null and ignores extra fields', () => {
    expect(checkFields({ summary: null, risk: '', more: 1 }, FIELDS)).toBeUndefined();
  });

  it('ignores __proto__, which JSON never contains', () => {
    const fields = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(checkFields({}, fields)).toBeUndefined();
  });
});
