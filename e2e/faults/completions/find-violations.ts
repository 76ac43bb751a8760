import { commit, ProofError, verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { countKeysPaidAgain, findKeyViolations } from './find-key-violations.ts';
import type { ReceivedCall } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';

export type Evidence = {
  calls: readonly CallRecord[];
  received: readonly ReceivedCall[];
  /** All certificates of the verified chain, in order. */
  certificates: readonly Certificate[];
};

/** Totals of a run, and counts of unusual events that are not violations. */
export type Counts = {
  calls: number;
  complete: number;
  received: number;
  certificates: number;
  /**
   * Number of certificates with finish reason `lost`, which means that no response was recorded.
   */
  lost: number;
  /**
   * Number of `lost` certificates whose call did not reach the provider, because a process was
   * killed between reservation and egress.
   */
  lostUnsent: number;
  /**
   * Number of `error` or `aborted` certificates of calls that the provider did not receive
   * completely.
   */
  endedUnsent: number;
  /**
   * Number of `stop` certificates whose client got no complete response, because a process was
   * killed after the certificate was written.
   */
  unanswered: number;
  /**
   * Number of keys with several charged certificates, which is allowed after a failure that named
   * its certificate to the client.
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
  const keyedContents = new Set(
    evidence.calls.flatMap(({ key, content }) => (key ? [content] : [])),
  );
  const hasKey = ({ content }: { content: string }): boolean => keyedContents.has(content);
  const { calls, certificates } = evidence;
  const unkeyed = {
    certificates,
    calls: calls.filter((one) => !hasKey(one)),
    received: evidence.received.filter((one) => !hasKey(one)),
  };
  return {
    violations: [
      ...calls.flatMap((call) => judgeAnswer(call, byId)),
      ...unkeyed.received.flatMap((call) => judgeReceived(call, byEgress)),
      ...judgeUnique(unkeyed),
      ...findKeyViolations(calls, certificates),
      ...[...received].flatMap(([sha256, group]) =>
        hasKey(group[0]!) ? judgeTries(group, byEgress.get(sha256) ?? []) : [],
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
      paidAgain: countKeysPaidAgain(calls, certificates),
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
 * Returns the certificates whose calls the provider did not receive, among certificates with the
 * same egress bytes: all of them if `received` is 0, otherwise at most
 * `certificates.length - received` of the `lost` ones.
 */
const findUnsent = (certificates: readonly Certificate[], received: number): Certificate[] =>
  received === 0
    ? [...certificates]
    : certificates.filter(isLost).slice(0, Math.max(0, certificates.length - received));

/**
 * Returns a violation unless the number of the provider's calls under one key, which have equal
 * bytes, equals the number of certificates of calls that were sent.
 */
const judgeTries = (
  tries: readonly ReceivedCall[],
  certificates: readonly Certificate[],
): string[] => {
  const count = certificates.length - findUnsent(certificates, tries.length).length;
  const counts = `received by the provider ${tries.length} times, ${count} certificates`;
  return count === tries.length ? [] : [`${tries[0]!.content}: ${counts}`];
};

/**
 * Returns a violation if the call hung, or if its complete response has no certificate with finish
 * reason `stop` that commits to request and response.
 */
const judgeAnswer = (call: CallRecord, byId: ReadonlyMap<string, Certificate>): string[] => {
  if (call.outcome === 'hung') return [`${call.content}: no response within the time limit`];
  if (call.outcome !== 'complete') return [];
  if (!call.proofId) return [`${call.content}: response without x-service-proof`];
  const certificate = byId.get(call.proofId);
  if (!certificate) return [`${call.content}: certificate ${call.proofId} is not in the chain`];
  const { payload } = certificate;
  try {
    verifyRequest(payload, call.body);
    verifyResponse(payload, call.answer!);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return [`${call.content}: ${call.proofId} does not match the response: ${error.reason}`];
  }
  const { finishReason } = payload.response;
  return finishReason === 'stop' ? [] : [`${call.content}: certified as ${finishReason}`];
};

/** Returns a violation unless a call that the provider received has exactly one certificate. */
const judgeReceived = (
  { sha256, content }: ReceivedCall,
  byEgress: ReadonlyMap<string, readonly Certificate[]>,
): string[] => {
  const count = byEgress.get(sha256)?.length ?? 0;
  return count === 1 ? [] : [`${content}: received by the provider, ${count} certificates`];
};

/**
 * Returns a violation for each call without an `Idempotency-Key` that was received or certified
 * twice, because such calls are never retried.
 */
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

/**
 * Returns a violation unless a certificate of a call that the provider did not receive has the
 * finish reason `error` or `aborted`. Certificates with `lost` are not passed to this function.
 */
const judgeUnsent = ({ payload }: Certificate): string[] =>
  payload.response.finishReason === 'error' || payload.response.finishReason === 'aborted'
    ? []
    : [`${payload.id}: certified as ${payload.response.finishReason}, never received`];

const duplicatesOf = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([, group]) => group.length > 1)
    .map(([value]) => value);
