import { commit, ProofError, verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { countPaidAgain, findKeyViolations } from './find-key-violations.ts';
import type { ReceivedCall } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';

export type Evidence = {
  calls: readonly CallRecord[];
  received: readonly ReceivedCall[];
  /** The certificates of the verified chain, in order. */
  certificates: readonly Certificate[];
};

/** Counts of notable events that are no violations. */
export type Counts = {
  calls: number;
  complete: number;
  received: number;
  certificates: number;
  /** Number of calls that the provider received and whose response was not recorded. */
  lost: number;
  /** Number of `lost` certificates of calls that were killed between reservation and egress. */
  lostUnsent: number;
  /**
   * Number of `error` or `aborted` certificates of calls that did not reach the provider
   * completely.
   */
  endedUnsent: number;
  /**
   * Number of `stop` certificates whose client got no response: killed between append and reply.
   */
  unanswered: number;
  /**
   * Number of keys with several charged certificates, after failures that were reported to their
   * clients.
   */
  paidAgain: number;
};

export const findViolations = (evidence: Evidence): { violations: string[]; counts: Counts } => {
  const byId = new Map(evidence.certificates.map((one) => [one.payload.id, one]));
  const byEgress = Map.groupBy(evidence.certificates, ({ payload }) => payload.egress.sha256);
  const received = Map.groupBy(evidence.received, ({ sha256 }) => sha256);
  const unsent = [...byEgress].flatMap(([sha256, own]) =>
    findUnsent(own, received.get(sha256)?.length ?? 0),
  );
  const keyed = new Set(evidence.calls.flatMap(({ key, content }) => (key ? [content] : [])));
  const isKeyed = ({ content }: { content: string }): boolean => keyed.has(content);
  const { calls, certificates } = evidence;
  const onlyOnce = {
    certificates,
    calls: calls.filter((one) => !isKeyed(one)),
    received: evidence.received.filter((one) => !isKeyed(one)),
  };
  return {
    violations: [
      ...calls.flatMap((call) => judgeAnswer(call, byId)),
      ...onlyOnce.received.flatMap((call) => judgeReceived(call, byEgress)),
      ...judgeUnique(onlyOnce),
      ...findKeyViolations(calls, certificates),
      ...[...received].flatMap(([sha256, group]) =>
        isKeyed(group[0]!) ? judgeTries(group, byEgress.get(sha256) ?? []) : [],
      ),
      ...unsent.filter((one) => !isLost(one)).flatMap(judgeUnsent),
    ],
    counts: {
      calls: calls.length,
      complete: calls.filter(({ outcome }) => outcome === 'complete').length,
      received: evidence.received.length,
      certificates: certificates.length,
      lost: certificates.filter(isLost).length,
      lostUnsent: unsent.filter(isLost).length,
      endedUnsent: unsent.filter((one) => !isLost(one)).length,
      unanswered: countUnanswered(evidence),
      paidAgain: countPaidAgain(calls, certificates),
    },
  };
};

const isLost = ({ payload }: Certificate): boolean => payload.response.finishReason === 'lost';

const countUnanswered = ({ calls, certificates }: Evidence): number => {
  const answered = new Set(
    calls.flatMap((call) => (call.outcome === 'complete' ? call.proofId : [])),
  );
  return certificates.filter(
    ({ payload }) => payload.response.finishReason === 'stop' && !answered.has(payload.id),
  ).length;
};

/**
 * Returns those of the certificates with equal bytes whose calls were not received: all if none
 * was, otherwise the surplus `lost` ones.
 */
const findUnsent = (certificates: readonly Certificate[], received: number): Certificate[] =>
  received === 0
    ? [...certificates]
    : certificates.filter(isLost).slice(0, Math.max(0, certificates.length - received));

/**
 * Checks the attempts under one key, which send equal bytes: each received one has a certificate.
 */
const judgeTries = (
  tries: readonly ReceivedCall[],
  certificates: readonly Certificate[],
): string[] => {
  const count = certificates.length - findUnsent(certificates, tries.length).length;
  const counts = `received by the provider ${tries.length} times, ${count} certificates`;
  return count === tries.length ? [] : [`${tries[0]!.content}: ${counts}`];
};

/** Checks that a complete response has a certificate that commits to request and response. */
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

/** Checks that each received call has exactly one certificate. */
const judgeReceived = (
  { sha256, content }: ReceivedCall,
  byEgress: ReadonlyMap<string, readonly Certificate[]>,
): string[] => {
  const count = byEgress.get(sha256)?.length ?? 0;
  return count === 1 ? [] : [`${content}: received by the provider, ${count} certificates`];
};

/** Checks calls without a key, which are not retried: received once, certified once. */
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

/** Checks a call that was never received: only the sweeper may certify it, as lost. */
const judgeUnsent = ({ payload }: Certificate): string[] =>
  payload.response.finishReason === 'error' || payload.response.finishReason === 'aborted'
    ? []
    : [`${payload.id}: certified as ${payload.response.finishReason}, never received`];

const duplicatesOf = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([, group]) => group.length > 1)
    .map(([value]) => value);
