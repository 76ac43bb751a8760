import { describe, expect, it } from '@jest/globals';
import { judgeGauges } from './read-ledger-violations.ts';

const METRICS = ['balance', 'held', 'settled', 'usage', 'certified']
  .map((name) => `ledger_book_faults{service="ledger",invariant="${name}"} 0\n`)
  .join('');

describe('the look at ledger_book_faults', () => {
  it('finds nothing when every invariant is 0', () => {
    expect(judgeGauges(`# HELP x\n${METRICS}other 1\n`)).toEqual([]);
  });

  it('finds one that is not', () => {
    const registry = METRICS.replace('"usage"} 0', '"usage"} 2');
    expect(judgeGauges(registry)).toEqual(['ledger_book_faults usage: 2']);
  });

  it('takes an invariant that is not there for a fault', () => {
    expect(judgeGauges('')).toHaveLength(5);
  });
});
