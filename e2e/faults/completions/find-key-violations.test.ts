import { describe, expect, it } from '@jest/globals';
import { commit } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { findKeyViolations, findUnended } from './find-key-violations.ts';
import type { CallRecord } from './run-call.ts';

const BODY = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'call' }] });

const attempt = (rest: Partial<CallRecord>): CallRecord => ({
  content: 'call',
  body: BODY,
  key: 'key 1',
  isStreamed: false,
  startedAt: 0,
  endedAt: 1,
  outcome: 'complete',
  status: '200',
  proofId: 'pf_1',
  answer: Buffer.from('answer'),
  ...rest,
});
const refused = (status: string, proofId?: string): CallRecord =>
  attempt({ outcome: 'refused', status, proofId });
const certify = (id: string, totalTokens = 4): Certificate =>
  ({
    payload: {
      id,
      request: { sha256: commit(JSON.parse(BODY)) },
      response: { usage: { totalTokens } },
    },
  }) as unknown as Certificate;

const GOOD = attempt({});
const CUT = attempt({ outcome: 'unreachable', status: '', proofId: undefined, answer: undefined });
const RUNNING = refused('409 idempotency_in_progress');
const LOST = refused('409 idempotency_answer_lost', 'pf_1');
const PAID = [certify('pf_1')];
const TWICE = [certify('pf_1'), certify('pf_2')];

const FINE: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  ['one answer, however often it was asked for', [RUNNING, GOOD, GOOD], PAID],
  ['an answer after the connection broke', [CUT, RUNNING, GOOD], PAID],
  ['an answer that was lost with its process', [CUT, RUNNING, LOST, LOST], PAID],
  [
    'a call of its own after a failure that named its certificate',
    [refused('502 upstream_error', 'pf_0'), GOOD],
    TWICE,
  ],
  ['a try that cost nothing', [CUT, GOOD], [certify('pf_2', 0), ...PAID]],
];

const CASES: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  ['a call that was paid for twice', [CUT, GOOD], TWICE],
  ['one that was paid for twice while others were told to wait', [RUNNING, GOOD], TWICE],
  [
    'more certificates than failures that named one',
    [refused('502 upstream_error', 'pf_0'), GOOD],
    [...TWICE, certify('pf_3')],
  ],
  [
    'a second payment after a failure that named no certificate',
    [refused('503 overloaded'), GOOD],
    TWICE,
  ],
  ['answers under two proof ids', [GOOD, attempt({ proofId: 'pf_2' })], PAID],
  ['two answers', [GOOD, attempt({ answer: Buffer.from('another') })], PAID],
  ['an answer that is there and lost', [GOOD, LOST], PAID],
  ['a lost answer without its certificate', [LOST], []],
];

describe('findKeyViolations', () => {
  it.each(FINE)('accepts %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toEqual([]);
  });

  it.each(CASES)('finds %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toHaveLength(1);
  });

  it('ignores calls without a key', () => {
    const { key: _, ...without } = GOOD;
    expect(findKeyViolations([without, without], TWICE)).toEqual([]);
    expect(findUnended([{ ...without, outcome: 'refused' }])).toEqual([]);
  });

  it('names the keys without a final response', () => {
    const other = { key: 'key 2' };
    expect(findUnended([CUT, RUNNING, GOOD, { ...RUNNING, ...other }])).toEqual([
      'key 2: no final answer',
    ]);
    expect(findUnended([RUNNING, LOST])).toEqual([]);
  });
});
