import { describe, expect, it } from '@jest/globals';
import type { CallTimes } from './council-provider.ts';
import { toDebatePath, toFormulaTokens } from './critical-path.ts';

const call = (
  kind: CallTimes['kind'],
  round: number,
  [arrivedAt, endedAt]: [number, number],
  tokens: Partial<CallTimes> = {},
): CallTimes => ({
  debate: 1,
  scenario: '',
  kind,
  round,
  arrivedAt,
  endedAt,
  promptTokens: 0,
  completionTokens: 0,
  ...tokens,
});

/**
 * Calls of a debate with an overhead of 10 ms before the framing, 20 ms in each round (its duration
 * minus its slowest call), 5 ms before the synthesis and 15 ms after it.
 */
const CALLS = [
  call('frame', 0, [110, 150]),
  call('agent', 1, [170, 270]),
  call('agent', 1, [165, 240]),
  call('agent', 2, [275, 330]),
  call('agent', 2, [290, 390]),
  call('synthesis', 0, [395, 445]),
];

describe('toDebatePath', () => {
  it('subtracts the slowest call of each round', () => {
    expect(toDebatePath({ sentAt: 100, endedAt: 460, calls: CALLS })).toEqual({
      wallMs: 360,
      criticalMs: 40 + 100 + 100 + 50,
      roundOverheadsMs: [20, 20],
      frameOverheadMs: 10,
      synthesisOverheadMs: 5,
      tailMs: 15,
    });
  });

  it('counts sequential calls of a round as overhead', () => {
    const calls = CALLS.with(2, call('agent', 1, [270, 270 + 75]));
    const { roundOverheadsMs } = toDebatePath({ sentAt: 100, endedAt: 460, calls });
    expect(roundOverheadsMs[0]).toBe(345 - 150 - 100);
  });

  it('throws if a call is missing', () => {
    const calls = CALLS.slice(1);
    expect(() => toDebatePath({ sentAt: 100, endedAt: 460, calls })).toThrow('one of its steps');
  });
});

describe('toFormulaTokens', () => {
  it('adds up prompts, summaries and answers by the formula of the protocol', () => {
    const agent = (round: number, promptTokens: number): CallTimes =>
      call('agent', round, [0, 1], { promptTokens, completionTokens: 400 });
    const calls = [
      call('frame', 0, [0, 1], { promptTokens: 300, completionTokens: 100 }),
      ...[1_000, 1_000, 1_240, 1_240].map((tokens, at) => agent(at < 2 ? 1 : 2, tokens)),
      call('synthesis', 0, [0, 1], { promptTokens: 900, completionTokens: 200 }),
    ];
    expect(toFormulaTokens(calls)).toEqual({
      measured: 300 + 100 + 2 * 1_000 + 2 * 1_240 + 4 * 400 + 900 + 200,
      formula: 4 * 1_000 + 4 * 400 + 4 * 120 + 1_500,
    });
  });
});
