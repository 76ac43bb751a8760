import { describe, expect, it } from '@jest/globals';
import { ABORT_LIMIT_MS, judgeCalls } from './judge-calls.ts';
import type { Evidence } from './judge-calls.ts';
import type { ReceivedCall } from './open-provider.ts';
import type { CertifiedCall } from './read-certified-calls.ts';
import type { SoakRecord } from './send-call.ts';
import { drawCall } from './soak-call.ts';

const DISCONNECTED_AT = 1_000;

/** Returns the records that the client, the provider and the chain have of one successful call. */
const makeCall = (id: number) => {
  const record: SoakRecord = {
    id,
    call: drawCall(id, { next: () => 0.9, integer: (min) => min }),
    requestSha256: `request ${id}`,
    answerSha256: `answer ${id}`,
    outcome: 'complete',
    proofId: `pf_${id}`,
    disconnectedAt: undefined,
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

const completed = makeCall(1);
const aborting = makeCall(2);
const abortedRecord: SoakRecord = {
  ...aborting.record,
  outcome: 'left',
  disconnectedAt: DISCONNECTED_AT,
};
const aborted: ReceivedCall = {
  ...aborting.received,
  ending: 'aborted',
  endedAt: DISCONNECTED_AT + 5,
};
const abortedCertified: CertifiedCall = { ...aborting.certified, finishReason: 'aborted' };
const good: Evidence = {
  records: [completed.record, abortedRecord],
  received: [completed.received, aborted],
  certified: [completed.certified, abortedCertified],
};
const withReceived = (call: ReceivedCall): Partial<Evidence> => ({
  received: [completed.received, call],
});
const withCertified = (change: Partial<CertifiedCall>): Partial<Evidence> => ({
  certified: [{ ...completed.certified, ...change }, abortedCertified],
});

const VIOLATION_CASES: readonly (readonly [string, Partial<Evidence>])[] = [
  ['an aborted call without a certificate', { certified: [completed.certified] }],
  ['a certificate of another answer', withCertified({ answerSha256: 'other' })],
  ['a certificate of another request', withCertified({ requestSha256: 'other' })],
  ['an answer without its certificate', withCertified({ proofId: 'pf_other' })],
  [
    'an aborted call that is certified as complete',
    { certified: [completed.certified, { ...abortedCertified, finishReason: 'stop' }] },
  ],
  ['a call that is still open at the provider', withReceived({ ...aborted, ending: 'open' })],
  [
    'a call that the provider answered long after its client had disconnected',
    withReceived({ ...aborted, ending: 'complete', endedAt: DISCONNECTED_AT + ABORT_LIMIT_MS + 1 }),
  ],
  [
    'a call that was aborted although its client did not disconnect',
    { records: [completed.record, { ...abortedRecord, disconnectedAt: undefined }] },
  ],
  [
    'a client that received an error',
    { records: [{ ...completed.record, outcome: { error: 'status 503' } }, abortedRecord] },
  ],
  [
    'a certificate of a call that was never sent',
    {
      certified: [
        ...good.certified,
        { ...completed.certified, proofId: 'pf_3', requestSha256: 'r', egressSha256: 'e' },
      ],
    },
  ],
  ['a call that was sent twice', { received: [...good.received, { ...completed.received }] }],
];

describe('judgeCalls', () => {
  it('finds nothing in successful calls', () => {
    expect(judgeCalls(good)).toEqual([]);
  });

  it.each(VIOLATION_CASES)('finds %s', (_name, evidence) => {
    expect(judgeCalls({ ...good, ...evidence })).toHaveLength(1);
  });

  it('accepts both endings for a client that disconnects at the very end', () => {
    const complete: ReceivedCall = { ...aborted, ending: 'complete' };

    expect(judgeCalls({ ...good, ...withReceived(complete) })).toEqual([]);
  });
});
