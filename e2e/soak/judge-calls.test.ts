import { describe, expect, it } from '@jest/globals';
import { ABORT_LIMIT_MS, judgeCalls } from './judge-calls.ts';
import type { Evidence } from './judge-calls.ts';
import type { ReceivedCall } from './open-provider.ts';
import type { CertifiedCall } from './read-certified-calls.ts';
import type { SoakRecord } from './send-call.ts';
import { drawCall } from './soak-call.ts';

const LEFT_AT = 1_000;

/** Returns the records of a successful call by its client, the provider and the chain. */
const makeCall = (id: number) => {
  const record: SoakRecord = {
    id,
    call: drawCall(id, { next: () => 0.9, integer: (min) => min }),
    requestSha256: `request ${id}`,
    answerSha256: `answer ${id}`,
    outcome: 'complete',
    proofId: `pf_${id}`,
    leftAt: undefined,
  };
  const received: ReceivedCall = {
    id,
    sha256: `egress ${id}`,
    phase: 'stream',
    ending: 'complete',
    endedAt: 900,
  };
  const certified: CertifiedCall = {
    proofId: `pf_${id}`,
    requestSha256: `request ${id}`,
    egressSha256: `egress ${id}`,
    answerSha256: `answer ${id}`,
    finishReason: 'stop',
  };
  return { record, received, certified };
};

const whole = makeCall(1);
const left = makeCall(2);
const leftRecord: SoakRecord = { ...left.record, outcome: 'left', leftAt: LEFT_AT };
const aborted: ReceivedCall = { ...left.received, ending: 'aborted', endedAt: LEFT_AT + 5 };
const abortedCertified: CertifiedCall = { ...left.certified, finishReason: 'aborted' };
const good: Evidence = {
  records: [whole.record, leftRecord],
  received: [whole.received, aborted],
  certified: [whole.certified, abortedCertified],
};
const withReceived = (call: ReceivedCall): Partial<Evidence> => ({
  received: [whole.received, call],
});
const withCertified = (change: Partial<CertifiedCall>): Partial<Evidence> => ({
  certified: [{ ...whole.certified, ...change }, abortedCertified],
});

const FAULTS: readonly (readonly [string, Partial<Evidence>])[] = [
  ['an aborted call without a certificate', { certified: [whole.certified] }],
  ['a certificate of another answer', withCertified({ answerSha256: 'other' })],
  ['a certificate of another request', withCertified({ requestSha256: 'other' })],
  ['an answer without its certificate', withCertified({ proofId: 'pf_other' })],
  [
    'an aborted call that is certified as complete',
    { certified: [whole.certified, { ...abortedCertified, finishReason: 'stop' }] },
  ],
  ['a call that the provider still answers', withReceived({ ...aborted, ending: 'open' })],
  [
    'a call that the provider answered long after its client had left',
    withReceived({ ...aborted, ending: 'complete', endedAt: LEFT_AT + ABORT_LIMIT_MS + 1 }),
  ],
  [
    'a call that was aborted though its client stayed',
    { records: [whole.record, { ...leftRecord, leftAt: undefined }] },
  ],
  [
    'a client that got something else than an answer',
    { records: [{ ...whole.record, outcome: { error: 'status 503' } }, leftRecord] },
  ],
  [
    'a certificate of a call that never left',
    {
      certified: [
        ...good.certified,
        { ...whole.certified, proofId: 'pf_3', requestSha256: 'r', egressSha256: 'e' },
      ],
    },
  ],
  ['a call that was sent twice', { received: [...good.received, { ...whole.received }] }],
];

describe('judgeCalls', () => {
  it('finds nothing in successful calls', () => {
    expect(judgeCalls(good)).toEqual([]);
  });

  it.each(FAULTS)('finds %s', (_name, evidence) => {
    expect(judgeCalls({ ...good, ...evidence })).toHaveLength(1);
  });

  it('accepts both endings for a client that disconnects at the very end', () => {
    const complete: ReceivedCall = { ...aborted, ending: 'complete' };

    expect(judgeCalls({ ...good, ...withReceived(complete) })).toEqual([]);
  });
});
