import { describe, expect, it } from '@jest/globals';
import { findViolations, summarize } from './judge-calls.ts';
import { kindOf } from './kind-of.ts';
import type { RecordedCall } from './open-recorder.ts';

const CALL: RecordedCall = {
  kind: 'debate',
  isRepair: false,
  format: 'json_schema',
  status: 200,
  promptTokens: 500,
  completionTokens: 200,
  durationMs: 1_000,
  answer: '{}',
};

const judge = (changes: readonly Partial<RecordedCall>[], budgets = {}): string[] =>
  findViolations(summarize(changes.map((change) => ({ ...CALL, ...change }))), budgets);

describe('the calls of a run', () => {
  it('are counted by kind, with means of first calls', () => {
    const repair = { ...CALL, isRepair: true, promptTokens: 900 };
    const calls = [CALL, { ...CALL, promptTokens: 700 }, repair, { ...CALL, status: 400 }];
    expect(summarize([...calls, { ...CALL, kind: 'chat', format: 'text' }])).toMatchObject({
      debate: { calls: 3, repairs: 1, promptTokens: 600, formats: ['json_schema'] },
      chat: { calls: 1, repairs: 0, promptTokens: 500 },
    });
  });

  it.each<[string, Partial<RecordedCall>[], object, string[]]>([
    ['nothing of calls as they should be', [{}, { kind: 'chat', format: 'text' }], {}, []],
    [
      'a call without a schema',
      [{ format: 'json_object' }],
      {},
      ['debate was sent as json_object'],
    ],
    ['no prompt up to five percent above its budget', [{ promptTokens: 525 }], { debate: 500 }, []],
    [
      'a longer prompt',
      [{ promptTokens: 526 }],
      { debate: 500 },
      ['debate has 526 prompt tokens, more than 500'],
    ],
    [
      'more than one repair of twenty answers',
      Array.from({ length: 22 }, (_, index) => ({ isRepair: index < 2 })),
      {},
      ['90 % of first answers needed no repair'],
    ],
    [
      'no share of syntheses',
      Array.from({ length: 22 }, (_, index) => ({ kind: 'synthesis', isRepair: index < 2 })),
      {},
      [],
    ],
    ['no share of a few answers', [{}, { isRepair: true }], {}, []],
  ])('violate: %s', (_what, calls, budgets, violations) => {
    expect(judge(calls, budgets)).toEqual(violations);
  });
});

describe('the kind of a call', () => {
  const ask = (system: string, last = 'Should we hire?') =>
    kindOf([
      { role: 'system', text: system },
      { role: 'user', text: last },
    ]);

  it('is that of its instructions', () => {
    expect(ask('Take your stance on the propositions.').kind).toBe('debate');
    expect(ask('You are Finance.').kind).toBe('chat');
    expect(ask('Take your stance.\nDecide on each lever: x').kind).toBe('panel');
    expect(ask('Take your stance.', '--- OTHERS ---\nA: Yes.').kind).toBe('revision');
    const again = 'Your text and your stance contradict each other: you write “No”.';
    expect(ask('Take your stance on the propositions.', again)).toEqual({
      kind: 'contradiction',
      isRepair: false,
    });
  });

  it('tells repairs', () => {
    expect(ask('', 'Your last answer could not be used: x.').isRepair).toBe(true);
    expect(ask('').isRepair).toBe(false);
  });
});
