import { commit, ProofError, verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import type { CallRecord } from './drive-load.ts';
import type { ReceivedCall } from './open-provider.ts';

/** Everything that is known of the calls so far. */
export type Evidence = {
  calls: readonly CallRecord[];
  received: readonly ReceivedCall[];
  /** The verified chain, in order. */
  certificates: readonly Certificate[];
};

/** What is no violation but worth knowing. */
export type Counts = {
  calls: number;
  complete: number;
  /** Calls that the provider received. */
  received: number;
  certificates: number;
  /** Received calls whose answer nobody recorded. */
  lost: number;
  /** Certificates `lost` of calls that never left: killed between intent and sending. */
  lostUnsent: number;
};

/** Holds the calls, the provider's record and the chain against each other. */
export const findViolations = (evidence: Evidence): { violations: string[]; counts: Counts } => {
  const byId = new Map(evidence.certificates.map((one) => [one.payload.id, one]));
  const byEgress = Map.groupBy(evidence.certificates, ({ payload }) => payload.egress.sha256);
  const received = new Set(evidence.received.map(({ sha256 }) => sha256));
  const unsent = evidence.certificates.filter(
    ({ payload }) => !received.has(payload.egress.sha256),
  );
  const isLost = ({ payload }: Certificate): boolean => payload.response.finishReason === 'lost';
  return {
    violations: [
      ...evidence.calls.flatMap((call) => judgeAnswer(call, byId)),
      ...evidence.received.flatMap((call) => judgeReceived(call, byEgress)),
      ...judgeUnique(evidence),
      ...unsent.filter((one) => !isLost(one)).flatMap(judgeUnsent),
    ],
    counts: {
      calls: evidence.calls.length,
      complete: evidence.calls.filter(({ outcome }) => outcome === 'complete').length,
      received: evidence.received.length,
      certificates: evidence.certificates.length,
      lost: evidence.certificates.filter(isLost).length,
      lostUnsent: unsent.filter(isLost).length,
    },
  };
};

/** A complete answer has a certificate that commits to what was sent and what came. */
const judgeAnswer = (call: CallRecord, byId: ReadonlyMap<string, Certificate>): string[] => {
  if (call.outcome === 'hung') return [`${call.content}: no answer at all`];
  if (call.outcome !== 'complete') return [];
  if (!call.proofId) return [`${call.content}: answered without x-service-proof`];
  const certificate = byId.get(call.proofId);
  if (!certificate) return [`${call.content}: acknowledged ${call.proofId} is not in the chain`];
  const { payload } = certificate;
  try {
    verifyRequest(payload, call.body);
    verifyResponse(payload, call.answer!);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return [`${call.content}: ${call.proofId} does not fit its answer: ${error.reason}`];
  }
  const { finishReason } = payload.response;
  return finishReason === 'stop' ? [] : [`${call.content}: certified as ${finishReason}`];
};

/** What the provider received ends in exactly one certificate. */
const judgeReceived = (
  { sha256, content }: ReceivedCall,
  byEgress: ReadonlyMap<string, readonly Certificate[]>,
): string[] => {
  const count = byEgress.get(sha256)?.length ?? 0;
  return count === 1 ? [] : [`${content}: received by the provider, ${count} certificates`];
};

/** Nobody retries, so the provider sees each call once, and no request is certified twice. */
const judgeUnique = ({ calls, received, certificates }: Evidence): string[] => {
  const twiceReceived = duplicatesOf(received.map(({ content }) => content));
  const twiceCertified = new Set(
    duplicatesOf(certificates.map(({ payload }) => payload.request.sha256)),
  );
  return [
    ...twiceReceived.map((content) => `${content}: sent to the provider twice`),
    ...(twiceCertified.size === 0 ? [] : calls).flatMap(({ body, content }) =>
      twiceCertified.has(commit(JSON.parse(body))) ? [`${content}: certified twice`] : [],
    ),
  ];
};

/** Only the sweeper may certify a call that the provider never received, and only as lost. */
const judgeUnsent = ({ payload }: Certificate): string[] =>
  payload.response.finishReason === 'error' || payload.response.finishReason === 'aborted'
    ? []
    : [`${payload.id}: certified as ${payload.response.finishReason}, never received`];

const duplicatesOf = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([, group]) => group.length > 1)
    .map(([value]) => value);
