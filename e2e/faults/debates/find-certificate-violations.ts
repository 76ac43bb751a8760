import type { Certificate } from '@witan/proof';
import type { PlayedCall } from './council.ts';

/** Finish reasons that a call may have if it never reached the provider. */
const UNSENT: ReadonlySet<string> = new Set(['lost', 'error', 'aborted']);

/** The certificates and calls of a run once no call is in flight. */
export type CertificateEvidence = {
  calls: readonly Pick<PlayedCall, 'sha256' | 'key' | 'debate'>[];
  certificates: readonly Certificate[];
  /** Proof ids that the messages of all debates name. */
  named: readonly string[];
};

/**
 * Compares the chain with provider and debates: one certificate for each received call, others only
 * for calls that were never sent, and messages name certificates of complete answers.
 */
export const findCertificateViolations = ({
  calls,
  certificates,
  named,
}: CertificateEvidence): string[] => {
  const received = Map.groupBy(calls, ({ sha256 }) => sha256);
  const certified = Map.groupBy(certificates, ({ payload }) => payload.egress.sha256);
  const byId = new Map(certificates.map((one) => [one.payload.id, one]));
  return [
    ...[...received].flatMap(([sha256, group]) => {
      const { key, debate } = group[0]!;
      const message = `${group.length} received, ${certified.get(sha256)?.length ?? 0} certificates`;
      const missing = group.length - (certified.get(sha256)?.length ?? 0);
      return missing > 0 ? [`debate ${debate}, ${key}: ${message}`] : [];
    }),
    ...[...certified].flatMap(([sha256, group]) => {
      const beyond = group.length - (received.get(sha256)?.length ?? 0);
      const unsent = group.filter(isUnsent).length;
      const message = `${group.map(reasonOf).join(', ')}, ${group.length - beyond} received`;
      return beyond > unsent ? [`${group[0]!.payload.id}: certified ${message}`] : [];
    }),
    ...named.flatMap((id) => {
      const certificate = byId.get(id);
      if (!certificate) return [`${id}: named by a message, not in the chain`];
      const reason = reasonOf(certificate);
      return reason === 'stop' ? [] : [`${id}: named by a message, certified as ${reason}`];
    }),
  ];
};

const reasonOf = ({ payload }: Certificate): string => payload.response.finishReason;

const isUnsent = (certificate: Certificate): boolean => UNSENT.has(reasonOf(certificate));
