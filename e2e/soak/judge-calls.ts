import type { ReceivedCall } from './open-provider.ts';
import type { CertifiedCall } from './read-certified-calls.ts';
import type { SoakRecord } from './send-call.ts';

export type Evidence = {
  records: readonly SoakRecord[];
  received: readonly ReceivedCall[];
  certified: readonly CertifiedCall[];
};

/** A provider that still answers this long after its client disconnected was not aborted. */
export const ABORT_LIMIT_MS = 1_000;

/** Compares the records of clients, provider and chain; returns the violations. */
export const judgeCalls = ({ records, received, certified }: Evidence): string[] => {
  const recordOf = new Map(records.map((record) => [record.id, record]));
  const certifiedByEgress = Map.groupBy(certified, ({ egressSha256 }) => egressSha256);
  const certifiedById = new Map(certified.map((one) => [one.proofId, one]));
  const receivedEgress = new Set(received.map(({ sha256 }) => sha256));
  return [
    ...records.flatMap((record) => judgeRecord(record, certifiedById)),
    ...received.flatMap((call) => judgeReceived(call, recordOf.get(call.id)!, certifiedByEgress)),
    ...judgeTwice(received, certified),
    ...certified
      .filter(({ egressSha256 }) => !receivedEgress.has(egressSha256))
      .flatMap(judgeUnsent),
  ];
};

/**
 * Checks that a complete response has the certificate that its header names, with matching
 * commitments.
 */
const judgeRecord = (
  record: SoakRecord,
  certified: ReadonlyMap<string, CertifiedCall>,
): string[] => {
  const { id, outcome, proofId, requestSha256, answerSha256 } = record;
  if (typeof outcome === 'object') return [`call ${id} (${describe(record)}): ${outcome.error}`];
  if (outcome !== 'complete') return [];
  const certificate = certified.get(proofId ?? '');
  if (!certificate) return [`call ${id}: complete, and its certificate is not in the chain`];
  const errors = [
    certificate.requestSha256 === requestSha256 ? [] : ['commits to another request'],
    certificate.answerSha256 === answerSha256 ? [] : ['commits to another answer'],
    certificate.finishReason === 'stop' ? [] : [`says ${certificate.finishReason}`],
  ].flat();
  return errors.map((error) => `call ${id} (${describe(record)}): its certificate ${error}`);
};

/** Checks that a received call has one certificate, and is aborted when its client disconnects. */
const judgeReceived = (
  call: ReceivedCall,
  record: SoakRecord,
  certified: ReadonlyMap<string, readonly CertifiedCall[]>,
): string[] => {
  const name = `call ${call.id} (${describe(record)})`;
  const certificates = certified.get(call.sha256) ?? [];
  if (certificates.length !== 1) return [`${name}: ${certificates.length} certificates`];
  const { finishReason } = certificates[0]!;
  const { ending, endedAt } = call;
  const lagMs = record.leftAt === undefined ? 0 : endedAt - record.leftAt;
  const isRight = ending === 'complete' ? isEither(finishReason, record) : isAborted(finishReason);
  return [
    ...(ending === 'open' ? [`${name}: the provider still answers it`] : []),
    ...(lagMs > ABORT_LIMIT_MS ? [`${name}: ${ending} ${lagMs} ms after its client left`] : []),
    ...(ending === 'aborted' && record.leftAt === undefined
      ? [`${name}: aborted, though its client stayed`]
      : []),
    ...(isRight ? [] : [`${name}: ${ending} at the provider, certified as ${finishReason}`]),
  ];
};

const isAborted = (finishReason: string): boolean => finishReason === 'aborted';

/**
 * Returns whether a certificate may have this finish reason if the client disconnects during the
 * last bytes.
 */
const isEither = (finishReason: string, { leftAt }: SoakRecord): boolean =>
  finishReason === 'stop' || (leftAt !== undefined && isAborted(finishReason));

/**
 * Returns the calls that were received or certified more than once; the gateway must not retry
 * them.
 */
const judgeTwice = (
  received: readonly ReceivedCall[],
  certified: readonly CertifiedCall[],
): string[] => [
  ...duplicatesOf(received.map(({ id }) => id)).map((id) => `call ${id}: sent twice`),
  ...duplicatesOf(certified.map(({ requestSha256 }) => requestSha256)).map(
    (sha256) => `the request ${sha256} is certified twice`,
  ),
];

/**
 * Checks a call that the provider did not receive: its client disconnected before the request was
 * complete.
 */
const judgeUnsent = ({ proofId, finishReason }: CertifiedCall): string[] =>
  isAborted(finishReason) ? [] : [`${proofId}: certified as ${finishReason}, never received`];

const duplicatesOf = <T>(values: readonly T[]): T[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([, group]) => group.length > 1)
    .map(([value]) => value);

const describe = ({ call }: SoakRecord): string =>
  `${call.dialect} to ${call.provider}, leaves ${call.abort?.window ?? 'never'}`;
