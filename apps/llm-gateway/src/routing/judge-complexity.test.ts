import { describe, expect, it } from '@jest/globals';
import { TASK_TYPES } from '@witan/proof';
import { makeSignals } from '../../test/signals.ts';
import { judgeComplexity } from './choose-route.ts';

const text = (length: number): string => 'a'.repeat(length);

describe('judgeComplexity', () => {
  it.each([
    ['a simple call', {}, 'simple'],
    ['a picture', { mediaCount: 1 }, 'simple'],
    ['a requested JSON answer', { wantsJson: true }, 'simple'],
    ['requested reasoning', { wantsReasoning: true }, 'complex'],
    ['a request just below the length', { lastUserText: text(1_199) }, 'simple'],
    ['a request of the length', { lastUserText: text(1_200) }, 'complex'],
    ['a prompt just below the length', { promptLength: 11_999 }, 'simple'],
    ['a prompt of the length', { promptLength: 12_000 }, 'complex'],
    ['eleven turns', { userTurns: 11 }, 'simple'],
    ['twelve turns', { userTurns: 12 }, 'complex'],
    ['three tools', { toolCount: 3 }, 'simple'],
    ['four tools', { toolCount: 4 }, 'harness'],
    ['instructions just below the length', { systemText: text(5_999) }, 'simple'],
    ['instructions of the length', { systemText: text(6_000) }, 'harness'],
    ['signed reasoning', { hasSignedReasoning: true }, 'pinned'],
    ['an open tool call', { hasOpenToolCalls: true }, 'pinned'],
  ] as const)('rates %s', (_name, signals, expected) => {
    expect(judgeComplexity(makeSignals(signals), 'chat')).toBe(expected);
  });

  it('rates code, analysis and tools as complex, and no other task', () => {
    const complex = TASK_TYPES.filter((task) => judgeComplexity(makeSignals(), task) === 'complex');
    expect(complex.toSorted()).toEqual(['analysis', 'code', 'tools']);
  });

  it('applies its rules in order: pinned, harness, complex', () => {
    const all = { hasSignedReasoning: true, toolCount: 4, wantsReasoning: true };
    expect(judgeComplexity(makeSignals(all), 'code')).toBe('pinned');
    expect(judgeComplexity(makeSignals({ ...all, hasSignedReasoning: false }), 'code')).toBe(
      'harness',
    );
  });
});
