import { describe, expect, it } from '@jest/globals';
import { parseOutcomes } from './read-outcomes.ts';

describe('parseOutcomes', () => {
  it('returns the attempts by outcome', () => {
    const registry = [
      '# TYPE notifier_attempts_total counter',
      'notifier_attempts_total{outcome="delivered"} 4012',
      'notifier_attempts_total{outcome="timeout"} 3',
      'notifier_late_results_total 0',
    ].join('\n');
    expect(parseOutcomes(registry)).toEqual({ delivered: 4_012, timeout: 3 });
  });
});
