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
  dialect: 'chat-completions',
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

const COMPLETE_ATTEMPT = attempt({});
const UNREACHABLE_ATTEMPT = attempt({
  outcome: 'unreachable',
  status: '',
  proofId: undefined,
  answer: undefined,
});
const IN_PROGRESS_ATTEMPT = refused('409 idempotency_in_progress');
const LOST_RESPONSE_ATTEMPT = refused('409 idempotency_answer_lost', 'pf_1');
const ONE_CERTIFICATE = [makeCertificate('pf_1')];
const TWO_CERTIFICATES = [makeCertificate('pf_1'), makeCertificate('pf_2')];

const ACCEPTED_CASES: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  [
    'one response to all attempts',
    [IN_PROGRESS_ATTEMPT, COMPLETE_ATTEMPT, COMPLETE_ATTEMPT],
    ONE_CERTIFICATE,
  ],
  [
    'a response after the connection broke',
    [UNREACHABLE_ATTEMPT, IN_PROGRESS_ATTEMPT, COMPLETE_ATTEMPT],
    ONE_CERTIFICATE,
  ],
  [
    'a response that was lost with its process',
    [UNREACHABLE_ATTEMPT, IN_PROGRESS_ATTEMPT, LOST_RESPONSE_ATTEMPT, LOST_RESPONSE_ATTEMPT],
    ONE_CERTIFICATE,
  ],
  [
    'a second charge after a failure that named its certificate',
    [refused('502 upstream_error', 'pf_0'), COMPLETE_ATTEMPT],
    TWO_CERTIFICATES,
  ],
  [
    'an attempt that cost nothing',
    [UNREACHABLE_ATTEMPT, COMPLETE_ATTEMPT],
    [makeCertificate('pf_2', 0), ...ONE_CERTIFICATE],
  ],
];

const VIOLATION_CASES: readonly (readonly [string, CallRecord[], Certificate[]])[] = [
  ['a call that was charged twice', [UNREACHABLE_ATTEMPT, COMPLETE_ATTEMPT], TWO_CERTIFICATES],
  [
    'a second charge while another attempt was refused as in progress',
    [IN_PROGRESS_ATTEMPT, COMPLETE_ATTEMPT],
    TWO_CERTIFICATES,
  ],
  [
    'more certificates than failures that named one',
    [refused('502 upstream_error', 'pf_0'), COMPLETE_ATTEMPT],
    [...TWO_CERTIFICATES, makeCertificate('pf_3')],
  ],
  [
    'a second charge after a failure that named no certificate',
    [refused('503 overloaded'), COMPLETE_ATTEMPT],
    TWO_CERTIFICATES,
  ],
  [
    'responses with two proof ids',
    [COMPLETE_ATTEMPT, attempt({ proofId: 'pf_2' })],
    ONE_CERTIFICATE,
  ],
  [
    'different responses',
    [COMPLETE_ATTEMPT, attempt({ answer: Buffer.from('another') })],
    ONE_CERTIFICATE,
  ],
  [
    'a response that another attempt reports as lost',
    [COMPLETE_ATTEMPT, LOST_RESPONSE_ATTEMPT],
    ONE_CERTIFICATE,
  ],
  ['a lost response without a certificate', [LOST_RESPONSE_ATTEMPT], []],
];

describe('findKeyViolations', () => {
  it.each(ACCEPTED_CASES)('accepts %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toEqual([]);
  });

  it.each(VIOLATION_CASES)('finds %s', (_name, calls, certificates) => {
    expect(findKeyViolations(calls, certificates)).toHaveLength(1);
  });

  it('ignores calls without a key', () => {
    const { key: _, ...without } = COMPLETE_ATTEMPT;
    expect(findKeyViolations([without, without], TWO_CERTIFICATES)).toEqual([]);
    expect(findOpenKeys([{ ...without, outcome: 'refused' }])).toEqual([]);
  });

  it('names the keys without a final response', () => {
    const other = { key: 'key 2' };
    expect(
      findOpenKeys([
        UNREACHABLE_ATTEMPT,
        IN_PROGRESS_ATTEMPT,
        COMPLETE_ATTEMPT,
        { ...IN_PROGRESS_ATTEMPT, ...other },
      ]),
    ).toEqual(['key 2: no final response']);
    expect(findOpenKeys([IN_PROGRESS_ATTEMPT, LOST_RESPONSE_ATTEMPT])).toEqual([]);
  });
});
