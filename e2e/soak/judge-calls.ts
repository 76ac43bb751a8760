import type { ReceivedCall } from './open-provider.ts';
import type { CertifiedCall } from './read-certified-calls.ts';
import type { SoakRecord } from './send-call.ts';

export type Evidence = {
  records: readonly SoakRecord[];
  received: readonly ReceivedCall[];
  certified: readonly CertifiedCall[];
};

/** Maximum time from a client's disconnect to the end of the provider's call, in milliseconds. */
export const ABORT_LIMIT_MS = 1_000;

/**
 * Compares the records of clients, provider and certificates about each call. Returns a violation
 * for each contradiction.
 */
export const judgeCalls = ({ records, received, certified }: Evidence): string[] => {
  const recordById = new Map(records.map((record) => [record.id, record]));
  const certifiedByEgress = Map.groupBy(certified, ({ egressSha256 }) => egressSha256);
  const certifiedById = new Map(certified.map((one) => [one.proofId, one]));
  const receivedEgress = new Set(received.map(({ sha256 }) => sha256));
  return [
    ...records.flatMap((record) => judgeRecord(record, certifiedById)),
    ...received.flatMap((call) => judgeReceived(call, recordById.get(call.id)!, certifiedByEgress)),
    ...judgeDuplicates(received, certified),
    ...certified
      .filter(({ egressSha256 }) => !receivedEgress.has(egressSha256))
      .flatMap(judgeUnsent),
  ];
};

/**
 * Returns a violation if the call failed, or if its complete response has no certificate with
 * finish reason `stop` that commits to request and response.
 */
const judgeRecord = (
  record: SoakRecord,
  certified: ReadonlyMap<string, CertifiedCall>,
): string[] => {
  const { id, outcome, proofId, requestSha256, answerSha256 } = record;
  if (typeof outcome === 'object')
    return [`call ${id} (${describeCall(record)}): ${outcome.error}`];
  if (outcome !== 'complete') return [];
  const certificate = certified.get(proofId ?? '');
  if (!certificate) return [`call ${id}: complete, but its certificate is not in the chain`];
  const errors = [
    certificate.requestSha256 === requestSha256 ? [] : ['commits to another request'],
    certificate.answerSha256 === answerSha256 ? [] : ['commits to another response'],
    certificate.finishReason === 'stop' ? [] : [`has finish reason ${certificate.finishReason}`],
  ].flat();
  return errors.map((error) => `call ${id} (${describeCall(record)}): its certificate ${error}`);
};

/**
 * Returns a violation unless a call that the provider received has exactly one certificate, with a
 * finish reason that matches the end of the call, and ended soon after its client disconnected, if
 * it did.
 */
const judgeReceived = (
  call: ReceivedCall,
  record: SoakRecord,
  certified: ReadonlyMap<string, readonly CertifiedCall[]>,
): string[] => {
  const name = `call ${call.id} (${describeCall(record)})`;
  const certificates = certified.get(call.sha256) ?? [];
  if (certificates.length !== 1) return [`${name}: ${certificates.length} certificates`];
  const { finishReason } = certificates[0]!;
  const { ending, endedAt } = call;
  const lagMs = record.disconnectedAt === undefined ? 0 : endedAt - record.disconnectedAt;
  const isRight =
    ending === 'complete'
      ? mayFollowCompleteResponse(finishReason, record)
      : isAborted(finishReason);
  return [
    ...(ending === 'open' ? [`${name}: still open at the provider`] : []),
    ...(lagMs > ABORT_LIMIT_MS
      ? [`${name}: ${ending} ${lagMs} ms after its client disconnected`]
      : []),
    ...(ending === 'aborted' && record.disconnectedAt === undefined
      ? [`${name}: aborted although its client did not disconnect`]
      : []),
    ...(isRight ? [] : [`${name}: ${ending} at the provider, certified as ${finishReason}`]),
  ];
};

const isAborted = (finishReason: string): boolean => finishReason === 'aborted';

/**
 * Returns whether a call that the provider answered completely may have this finish reason: `stop`,
 * or `aborted` if the client disconnected while the last bytes were sent.
 */
const mayFollowCompleteResponse = (finishReason: string, { disconnectedAt }: SoakRecord): boolean =>
  finishReason === 'stop' || (disconnectedAt !== undefined && isAborted(finishReason));

/**
 * Returns a violation for each call that was received or certified more than once, because the
 * gateway must not retry.
 */
const judgeDuplicates = (
  received: readonly ReceivedCall[],
  certified: readonly CertifiedCall[],
): string[] => [
  ...duplicatesOf(received.map(({ id }) => id)).map(
    (id) => `call ${id}: received twice by the provider`,
  ),
  ...duplicatesOf(certified.map(({ requestSha256 }) => requestSha256)).map(
    (sha256) => `the request ${sha256} is certified twice`,
  ),
];

/**
 * Returns a violation unless the certificate of a call that the provider did not receive says that
 * the client aborted the call.
 */
const judgeUnsent = ({ proofId, finishReason }: CertifiedCall): string[] =>
  isAborted(finishReason)
    ? []
    : [`${proofId}: certified as ${finishReason}, but not received by the provider`];

const duplicatesOf = <T>(values: readonly T[]): T[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([, group]) => group.length > 1)
    .map(([value]) => value);

const describeCall = ({ call }: SoakRecord): string =>
  `${call.dialect} to ${call.provider}, aborts: ${call.abort?.window ?? 'never'}`;
