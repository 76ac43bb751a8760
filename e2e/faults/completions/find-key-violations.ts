import { commit } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { ANSWER_LOST, findOpen } from './drive-retries.ts';
import type { CallRecord } from './run-call.ts';

/**
 * Compares calls under an `Idempotency-Key` with the chain: all responses of a key are equal and
 * charged once. After a failure that names its certificate, and only then, the next attempt has a
 * certificate of its own.
 */
export const findKeyViolations = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): string[] => groupByKey(calls, certificates).flatMap(judgeKey);

/** Returns the keys charged more than once. */
export const countPaidAgain = (
  calls: readonly CallRecord[],
  certificates: readonly Certificate[],
): number => groupByKey(calls, certificates).filter((one) => paidOf(one).length > 1).length;

/** Returns the keys that got no final response despite retries. */
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
 * Returns whether the edge named the certificate of the failure; after any other failure the charge
 * is unknown.
 */
const isReportedFailure = ({ outcome, status, proofId }: CallRecord): boolean =>
  outcome === 'refused' && proofId !== undefined && status !== ANSWER_LOST;
