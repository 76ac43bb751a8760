import { describe, expect, it } from '@jest/globals';
import { judgeGauges } from './read-audit-violations.ts';

const METRICS = ['balance', 'held', 'settled', 'usage', 'certified']
  .map((name) => `ledger_book_faults{service="ledger",invariant="${name}"} 0\n`)
  .join('');

describe('judgeGauges', () => {
  it('finds nothing if every invariant is 0', () => {
    expect(judgeGauges(`# HELP x\n${METRICS}other 1\n`)).toEqual([]);
  });

  it('finds an invariant that is not 0', () => {
    const registry = METRICS.replace('"usage"} 0', '"usage"} 2');
    expect(judgeGauges(registry)).toEqual(['ledger_book_faults usage: 2']);
  });

  it('reports a missing invariant', () => {
    expect(judgeGauges('')).toHaveLength(5);
  });
});
