import { describe, expect, it } from '@jest/globals';
import { describeParameters, toParameterDraft, toParameters } from './parameters.ts';

const PARAMETERS = { gdpGrowth: -2, interestRate: { value: 1.5, mode: 'add' }, mood: 'grim' };

describe('the parameters of a scenario', () => {
  it('are the same after a form that changes nothing', () => {
    const draft = toParameterDraft(PARAMETERS);
    expect(draft.values).toEqual({ gdpGrowth: -2 });
    expect(toParameters(draft)).toEqual(PARAMETERS);
    expect(toParameters(toParameterDraft({}))).toEqual({});
  });

  it.each([['{'], ['[1]'], ['null'], ['{"gdpGrowth": 1}']])(
    'are refused with %s as JSON',
    (json) => {
      expect(() => toParameters({ values: { gdpGrowth: 2 }, json })).toThrow(Error);
    },
  );

  it('are shown with their units', () => {
    expect(describeParameters(PARAMETERS)).toEqual([
      { name: 'GDP growth', text: '-2 % a year' },
      { name: 'Interest rate', text: '{"value":1.5,"mode":"add"}' },
      { name: 'mood', text: 'grim' },
    ]);
  });
});
