import { commit } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { LOST_RESPONSE_STATUS, findOpenCalls } from './drive-retries.ts';
import type { CallRecord } from './run-call.ts';

/**
 * Compares calls that have an `Idempotency-Key` with the certificates. Returns a violation if the
 * responses of a key differ, if a key was charged again without a failure that named its
 * certificate to the client, or if a response was reported as lost but has no certificate.
 */
export const findKeyViolations = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): string[] => groupByKey(calls, certificates).flatMap(judgeKey);

/** Returns the number of keys that were charged more than once. */
export const countKeysPaidAgain = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): number =>
  groupByKey(calls, certificates).filter((one) => findPaidCertificates(one).length > 1).length;

/** Returns a violation for each key that has no final response after all retries. */
export const findOpenKeys = (calls: readonly CallRecord[]): string[] =>
  findOpenCalls(calls).map(({ key }) => `${key}: no final response`);

type KeyHistory = {
  key: string;
  tries: readonly CallRecord[];
  certificates: readonly Certificate[];
};

const groupByKey = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): KeyHistory[] => {
  const byRequest = Map.groupBy(certificates, ({ payload }) => payload.request.sha256);
  return [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, tries]) => {
    if (key === undefined) return [];
    const own = byRequest.get(commit(JSON.parse(tries[0]!.body))) ?? [];
    return [{ key, tries, certificates: own }];
  });
};

const findPaidCertificates = ({ certificates }: KeyHistory): Certificate[] =>
  certificates.filter(({ payload }) => payload.response.usage.totalTokens > 0);

const judgeKey = (history: KeyHistory): string[] => {
  const { key, tries, certificates } = history;
  const good = tries.filter(({ outcome }) => outcome === 'complete');
  const lost = tries.filter(({ status }) => status === LOST_RESPONSE_STATUS);
  const proofs = new Set([...good, ...lost].map(({ proofId }) => proofId));
  const answers = new Set(good.map(({ answer }) => answer!.toString('latin1')));
  const paid = findPaidCertificates(history);
  const reportedFailures = new Set(tries.filter(isReportedFailure).map(({ proofId }) => proofId))
    .size;
  return [
    ...(proofs.size > 1 ? [`${key}: answered with ${proofs.size} proof ids`] : []),
    ...(answers.size > 1 ? [`${key}: ${answers.size} different responses`] : []),
    ...(good.length > 0 && lost.length > 0
      ? [`${key}: answered in one attempt, reported as lost in another`]
      : []),
    ...(paid.length > 1 + reportedFailures
      ? [
          `${key}: ${paid.length} certificates with usage, ${reportedFailures} failures reported to the client`,
        ]
      : []),
    ...[...lost].flatMap(({ proofId }) =>
      certificates.some(({ payload }) => payload.id === proofId)
        ? []
        : [`${key}: reported as lost, but ${proofId} is not in the chain`],
    ),
  ];
};

/**
 * Returns whether the client received a failure that names its certificate. After such a failure, a
 * retry of the key may be charged again.
 */
const isReportedFailure = ({ outcome, status, proofId }: CallRecord): boolean =>
  outcome === 'refused' && proofId !== undefined && status !== LOST_RESPONSE_STATUS;
