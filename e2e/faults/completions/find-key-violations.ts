import { commit } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { ANSWER_LOST, findOpen } from './drive-retries.ts';
import type { CallRecord } from './run-call.ts';

/**
 * Compares calls that have an `Idempotency-Key` with the certificates, and returns the violations:
 * all responses of a key must be equal, and a key may be charged again only after a failure that
 * was reported to the client with its certificate.
 */
export const findKeyViolations = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): string[] => groupByKey(calls, certificates).flatMap(judgeKey);

/** Returns the number of keys that were charged more than once. */
export const countPaidAgain = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): number => groupByKey(calls, certificates).filter((one) => paidOf(one).length > 1).length;

/** Returns a violation for each key that got no final response despite retries. */
export const findUnended = (calls: readonly CallRecord[]): string[] =>
  findOpen(calls).map(({ key }) => `${key}: no final answer`);

type Keyed = { key: string; tries: readonly CallRecord[]; certificates: readonly Certificate[] };

const groupByKey = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): Keyed[] => {
  const byRequest = Map.groupBy(certificates, ({ payload }) => payload.request.sha256);
  return [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, tries]) => {
    if (key === undefined) return [];
    const own = byRequest.get(commit(JSON.parse(tries[0]!.body))) ?? [];
    return [{ key, tries, certificates: own }];
  });
};

const paidOf = ({ certificates }: Keyed): Certificate[] =>
  certificates.filter(({ payload }) => payload.response.usage.totalTokens > 0);

const judgeKey = (keyed: Keyed): string[] => {
  const { key, tries, certificates } = keyed;
  const good = tries.filter(({ outcome }) => outcome === 'complete');
  const lost = tries.filter(({ status }) => status === ANSWER_LOST);
  const proofs = new Set([...good, ...lost].map(({ proofId }) => proofId));
  const answers = new Set(good.map(({ answer }) => answer!.toString('latin1')));
  const paid = paidOf(keyed);
  const reported = new Set(tries.filter(isReportedFailure).map(({ proofId }) => proofId)).size;
  return [
    ...(proofs.size > 1 ? [`${key}: answered under ${proofs.size} proof ids`] : []),
    ...(answers.size > 1 ? [`${key}: ${answers.size} different answers`] : []),
    ...(good.length > 0 && lost.length > 0 ? [`${key}: answered, and its answer lost`] : []),
    ...(paid.length > 1 + reported
      ? [`${key}: ${paid.length} certificates with usage, ${reported} failures told`]
      : []),
    ...[...lost].flatMap(({ proofId }) =>
      certificates.some(({ payload }) => payload.id === proofId)
        ? []
        : [`${key}: answered as lost, and ${proofId} is not in the chain`],
    ),
  ];
};

/**
 * Returns whether the client received a failure that names its certificate; after such a failure a
 * retry may be charged again.
 */
const isReportedFailure = ({ outcome, status, proofId }: CallRecord): boolean =>
  outcome === 'refused' && proofId !== undefined && status !== ANSWER_LOST;
