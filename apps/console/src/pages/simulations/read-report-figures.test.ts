import { describe, expect, it } from '@jest/globals';
import { readReportFigures } from './read-report-figures.ts';

describe('the figures of a report', () => {
  it('are grouped by scenario, and drop what is no figure', () => {
    const one = { scenario: '', label: 'turns played', value: 3, unit: 'turns', text: '3 turns' };
    const two = { scenario: 'Calm', label: 'cash', value: 1, unit: 'money', text: '1' };
    expect(readReportFigures({ facts: [one, two, null, { label: 'x' }] })).toEqual(
      new Map([
        ['', [one]],
        ['Calm', [two]],
      ]),
    );
    expect(readReportFigures({})).toEqual(new Map());
  });
});
