import type { Certificate } from '@witan/proof';
import type { SystemFile } from '@witan/stack';
import type { ModelCall } from '../scripted-model.ts';
import { findChargeViolations } from './find-charge-violations.ts';
import { openChainReader } from './follow-chain.ts';
import { readAuditViolations } from './read-audit-violations.ts';
import { readLedger, untilNoOpenReservation } from './read-ledger.ts';

/**
 * Finish reasons that the certificate of a call may have if the call never reached the provider.
 */
const UNSENT: ReadonlySet<string> = new Set(['lost', 'error', 'aborted']);

/** The model calls and certificates of a run, read once no call is in flight. */
export type CertificateEvidence = {
  calls: readonly Pick<ModelCall, 'sha256' | 'key' | 'runNumber'>[];
  certificates: readonly Certificate[];
  /** Proof ids in the messages of all debates, or in the states and reports of all turns. */
  proofIds: readonly string[];
};

/**
 * Compares the certificates with the provider's calls and with the proof ids. Returns a violation
 * for each received call without a certificate, for each certificate without a received call unless
 * the call was never sent, and for each proof id without a certificate of a complete answer.
 */
export const findCertificateViolations = ({
  calls,
  certificates,
  proofIds,
}: CertificateEvidence): string[] => {
  const received = Map.groupBy(calls, ({ sha256 }) => sha256);
  const certified = Map.groupBy(certificates, ({ payload }) => payload.egress.sha256);
  const byId = new Map(certificates.map((one) => [one.payload.id, one]));
  return [
    ...[...received].flatMap(([sha256, group]) => {
      const { key, runNumber } = group[0]!;
      const message = `${group.length} received, ${certified.get(sha256)?.length ?? 0} certificates`;
      const missing = group.length - (certified.get(sha256)?.length ?? 0);
      return missing > 0 ? [`run ${runNumber}, ${key}: ${message}`] : [];
    }),
    ...[...certified].flatMap(([sha256, group]) => {
      const surplus = group.length - (received.get(sha256)?.length ?? 0);
      const unsent = group.filter(isUnsent).length;
      const message = `${group.map(reasonOf).join(', ')}, ${group.length - surplus} received`;
      return surplus > unsent ? [`${group[0]!.payload.id}: certified ${message}`] : [];
    }),
    ...proofIds.flatMap((id) => {
      const certificate = byId.get(id);
      if (!certificate) return [`${id}: named by a message but not in the chain`];
      const reason = reasonOf(certificate);
      return reason === 'stop' ? [] : [`${id}: named by a message but certified as ${reason}`];
    }),
  ];
};

const reasonOf = ({ payload }: Certificate): string => payload.response.finishReason;

const isUnsent = (certificate: Certificate): boolean => UNSENT.has(reasonOf(certificate));

/** Numbers of calls, certificates and charged tokens of a run, and the violations in them. */
export type JudgedCertificates = {
  calls: number;
  certificates: number;
  charged: number;
  violations: string[];
};

/**
 * Time after the completion timeout in which the sweeper must have ended all reservations of killed
 * processes; a reservation expires 20 s after the timeout.
 */
const SWEEP_LIMIT_MS = 40_000;

/**
 * Waits until no reservation is open, then compares the certificates and the ledger with the calls
 * that the provider received. Returns totals and violations.
 */
export const judgeCertificates = async (
  { home, completionTimeoutMs }: { home: string; completionTimeoutMs: number },
  readFile: () => Promise<SystemFile>,
  { calls, proofIds }: Omit<CertificateEvidence, 'certificates'>,
): Promise<JudgedCertificates> => {
  const sweptMs = await untilNoOpenReservation(home, completionTimeoutMs + SWEEP_LIMIT_MS);
  const violations = sweptMs === undefined ? ['reservations were never ended'] : [];
  const file = await readFile();
  const certificates = await openChainReader().readAll(file);
  violations.push(...findCertificateViolations({ calls, certificates, proofIds }));
  const chargeResult = findChargeViolations(certificates, await readLedger(home));
  violations.push(...chargeResult.violations, ...(await readAuditViolations(home, file)));
  const { charged } = chargeResult.charges;
  return { calls: calls.length, certificates: certificates.length, charged, violations };
};
