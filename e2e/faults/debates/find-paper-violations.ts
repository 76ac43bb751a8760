import type { Certificate } from '@witan/proof';
import type { PlayedCall } from './council.ts';

/** How calls that never reached the provider may be certified. */
const UNSENT: ReadonlySet<string> = new Set(['lost', 'error', 'aborted']);

/** What is known once nothing is in flight. */
export type Papers = {
  calls: readonly Pick<PlayedCall, 'sha256' | 'key' | 'debate'>[];
  certificates: readonly Certificate[];
  /** Proof ids that the messages of all debates name. */
  named: readonly string[];
};

/**
 * Holds the chain against the provider and the debates: a certificate for each call that was
 * received, none beyond but of calls that never left, and those that messages name are of answers
 * that came whole.
 */
export const findPaperViolations = ({ calls, certificates, named }: Papers): string[] => {
  const received = Map.groupBy(calls, ({ sha256 }) => sha256);
  const certified = Map.groupBy(certificates, ({ payload }) => payload.egress.sha256);
  const byId = new Map(certificates.map((one) => [one.payload.id, one]));
  return [
    ...[...received].flatMap(([sha256, group]) => {
      const { key, debate } = group[0]!;
      const said = `${group.length} received, ${certified.get(sha256)?.length ?? 0} certificates`;
      const missing = group.length - (certified.get(sha256)?.length ?? 0);
      return missing > 0 ? [`debate ${debate}, ${key}: ${said}`] : [];
    }),
    ...[...certified].flatMap(([sha256, group]) => {
      const beyond = group.length - (received.get(sha256)?.length ?? 0);
      const unsent = group.filter(isUnsent).length;
      const said = `${group.map(reasonOf).join(', ')}, ${group.length - beyond} received`;
      return beyond > unsent ? [`${group[0]!.payload.id}: certified ${said}`] : [];
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
