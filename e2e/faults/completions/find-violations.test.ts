import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { commit, commitAnswer, parseSavedAnswer } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import type { CallRecord } from './run-call.ts';
import { findViolations } from './find-violations.ts';
import type { Evidence } from './find-violations.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the records that the client, the provider and the chain have of one successful call. */
const makeCall = (number: number) => {
  const content = `call ${number}`;
  const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }] });
  const message = { role: 'assistant', content: `answer ${number}` };
  const answer = Buffer.from(JSON.stringify({ choices: [{ index: 0, message }] }));
  const record: CallRecord = {
    content,
    body,
    dialect: 'chat-completions',
    isStreamed: false,
    startedAt: 0,
    endedAt: 1,
    outcome: 'complete',
    status: '200',
    proofId: `pf_${number}`,
    answer,
  };
  const certificate = {
    payload: {
      id: `pf_${number}`,
      request: { sha256: commit(JSON.parse(body)) },
      egress: { sha256: sha256(body) },
      response: {
        sha256: commitAnswer(parseSavedAnswer(answer)),
        finishReason: 'stop',
        usage: { totalTokens: 4 },
      },
    },
  } as unknown as Certificate;
  return { record, certificate, received: { sha256: sha256(body), content } };
};

const [one, two] = [makeCall(1), makeCall(2)];
const good: Evidence = {
  calls: [one.record, two.record],
  received: [one.received, two.received],
  certificates: [one.certificate, two.certificate],
};
const change = (certificate: Certificate, finishReason: string, sha?: string): Certificate => {
  const { payload } = certificate;
  const response = { ...payload.response, finishReason, ...(sha ? { sha256: sha } : {}) };
  return { ...certificate, payload: { ...payload, response } } as Certificate;
};

const VIOLATION_CASES: readonly (readonly [string, Partial<Evidence>, number])[] = [
  ['a missing certificate', { certificates: [one.certificate] }, 2],
  ['a duplicate certificate', { certificates: [...good.certificates, one.certificate] }, 2],
  [
    'a certificate of another answer',
    { certificates: [one.certificate, change(two.certificate, 'stop', 'ab'.repeat(32))] },
    1,
  ],
  [
    'a delivered answer that is certified as lost',
    { certificates: [one.certificate, change(two.certificate, 'lost')] },
    1,
  ],
  ['a call that the provider received twice', { received: [...good.received, one.received] }, 1],
  ['a certificate of a call that was never sent', { received: [one.received] }, 1],
  ['a call that never ended', { calls: [one.record, { ...two.record, outcome: 'hung' }] }, 1],
  ['an answer without a proof', { calls: [{ ...one.record, proofId: undefined }] }, 1],
];

describe('findViolations', () => {
  it('finds nothing in successful calls', () => {
    expect(findViolations(good)).toMatchObject({
      violations: [],
      counts: {
        calls: 2,
        complete: 2,
        received: 2,
        certificates: 2,
        lost: 0,
        lostUnsent: 0,
        endedUnsent: 0,
      },
    });
  });

  it.each(VIOLATION_CASES)('finds %s', (_name, evidence, count) => {
    expect(findViolations({ ...good, ...evidence }).violations).toHaveLength(count);
  });

  it('counts a certificate whose client got no response', () => {
    const broken: CallRecord = { ...two.record, outcome: 'broken' };
    const { violations, counts } = findViolations({ ...good, calls: [one.record, broken] });
    expect([violations, counts.unanswered]).toEqual([[], 1]);
  });

  it('requires a certificate of its own for each attempt of a key', () => {
    const keyed = { ...one.record, key: 'key 1' };
    const reportedFailure: CallRecord = { ...keyed, outcome: 'refused', status: '503 overloaded' };
    const lost = { ...change(one.certificate, 'lost') };
    lost.payload = { ...lost.payload, id: 'pf_9' };
    const evidence = {
      calls: [reportedFailure, keyed],
      received: [one.received, one.received],
      certificates: [lost, one.certificate],
    };
    const paidAgain = { lostUnsent: 0, paidAgain: 1, unanswered: 0 };
    expect(findViolations(evidence)).toMatchObject({ violations: [], counts: paidAgain });
    const unsent = { ...evidence, received: [one.received] };
    expect(findViolations(unsent)).toMatchObject({ violations: [], counts: { lostUnsent: 1 } });
    const missing = { ...evidence, certificates: [one.certificate] };
    expect(findViolations(missing).violations).toEqual([
      'call 1: received by the provider 2 times, 1 certificates',
    ]);
  });

  it('accepts refused calls and lost calls', () => {
    const refused: CallRecord = { ...two.record, outcome: 'refused', status: '503 overloaded' };
    const evidence = {
      calls: [one.record, refused],
      received: [one.received],
      certificates: [one.certificate, change(two.certificate, 'lost')],
    };
    expect(findViolations(evidence)).toMatchObject({
      violations: [],
      counts: { lost: 1, lostUnsent: 1, unanswered: 0, paidAgain: 0 },
    });
  });
});
