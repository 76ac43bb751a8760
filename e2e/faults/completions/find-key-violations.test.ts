import { describe, expect, it } from '@jest/globals';
import { commit } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { findKeyViolations, findOpenKeys } from './find-key-violations.ts';
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
const makeCertificate = (id: string, totalTokens = 4): Certificate =>
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
const PAID = [makeCertificate('pf_1')];
const TWICE = [makeCertificate('pf_1'), makeCertificate('pf_2')];

const ACCEPTED_CASES: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  ['one response to all attempts', [RUNNING, GOOD, GOOD], PAID],
  ['a response after the connection broke', [CUT, RUNNING, GOOD], PAID],
  ['a response that was lost with its process', [CUT, RUNNING, LOST, LOST], PAID],
  [
    'a second charge after a failure that named its certificate',
    [refused('502 upstream_error', 'pf_0'), GOOD],
    TWICE,
  ],
  ['an attempt that cost nothing', [CUT, GOOD], [makeCertificate('pf_2', 0), ...PAID]],
];

const CASES: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  ['a call that was charged twice', [CUT, GOOD], TWICE],
  ['a second charge while another attempt was refused as in progress', [RUNNING, GOOD], TWICE],
  [
    'more certificates than failures that named one',
    [refused('502 upstream_error', 'pf_0'), GOOD],
    [...TWICE, makeCertificate('pf_3')],
  ],
  [
    'a second charge after a failure that named no certificate',
    [refused('503 overloaded'), GOOD],
    TWICE,
  ],
  ['responses with two proof ids', [GOOD, attempt({ proofId: 'pf_2' })], PAID],
  ['different responses', [GOOD, attempt({ answer: Buffer.from('another') })], PAID],
  ['a response that another attempt reports as lost', [GOOD, LOST], PAID],
  ['a lost response without a certificate', [LOST], []],
];

describe('findKeyViolations', () => {
  it.each(ACCEPTED_CASES)('accepts %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toEqual([]);
  });

  it.each(CASES)('finds %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toHaveLength(1);
  });

  it('ignores calls without a key', () => {
    const { key: _, ...without } = GOOD;
    expect(findKeyViolations([without, without], TWICE)).toEqual([]);
    expect(findOpenKeys([{ ...without, outcome: 'refused' }])).toEqual([]);
  });

  it('names the keys without a final response', () => {
    const other = { key: 'key 2' };
    expect(findOpenKeys([CUT, RUNNING, GOOD, { ...RUNNING, ...other }])).toEqual([
      'key 2: no final response',
    ]);
    expect(findOpenKeys([RUNNING, LOST])).toEqual([]);
  });
});
