import { commit, ProofError, verifyRequest, verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { countPaidAgain, findKeyViolations } from './find-key-violations.ts';
import type { ReceivedCall } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';

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
  /** Certificates `error` or `aborted` of calls that did not reach the provider whole. */
  endedUnsent: number;
  /** Certificates `stop` whose client did not get the answer: killed between append and reply. */
  unheard: number;
  /** Keys with more than one certificate with usage: their clients were told of a failure. */
  paidAgain: number;
};

/** Holds the calls, the provider's record and the chain against each other. */
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
      unheard: countUnheard(evidence),
      paidAgain: countPaidAgain(calls, certificates),
    },
  };
};

const isLost = ({ payload }: Certificate): boolean => payload.response.finishReason === 'lost';

const countUnheard = ({ calls, certificates }: Evidence): number => {
  const heard = new Set(calls.flatMap((call) => (call.outcome === 'complete' ? call.proofId : [])));
  return certificates.filter(
    ({ payload }) => payload.response.finishReason === 'stop' && !heard.has(payload.id),
  ).length;
};

/** Which of the certificates of the same bytes are of calls that the provider did not receive. */
const findUnsent = (certificates: readonly Certificate[], received: number): Certificate[] =>
  received === 0
    ? [...certificates]
    : certificates.filter(isLost).slice(0, Math.max(0, certificates.length - received));

/** Tries under one key send the same bytes: each that the provider received has a certificate. */
const judgeTries = (
  tries: readonly ReceivedCall[],
  certificates: readonly Certificate[],
): string[] => {
  const count = certificates.length - findUnsent(certificates, tries.length).length;
  const said = `received by the provider ${tries.length} times, ${count} certificates`;
  return count === tries.length ? [] : [`${tries[0]!.content}: ${said}`];
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

/** Without a key nobody retries: the provider sees each call once, and none is certified twice. */
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
