import { describe, expect, it } from '@jest/globals';
import { checkFields } from './check-fields.ts';

const FIELDS = { summary: 'One sentence', risk: 'low, medium or high' };

describe('checkFields', () => {
  it('names every field that is missing', () => {
    expect(checkFields({ risk: 1 }, FIELDS)).toEqual({
      kind: 'missing-fields',
      names: ['summary'],
    });
    expect(checkFields({}, { toString: 'is inherited' })).toEqual({
      kind: 'missing-fields',
      names: ['toString'],
    });
  });

  it('takes null for a field and leaves others alone', () => {
    expect(checkFields({ summary: null, risk: '', more: 1 }, FIELDS)).toBeUndefined();
  });

  it('does not ask for what an answer never has', () => {
    const fields = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(checkFields({}, fields)).toBeUndefined();
  });
});
