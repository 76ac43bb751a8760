import type { SystemFile } from '@witan/stack';
import { findCertificateViolations } from './find-certificate-violations.ts';
import type { CertificateEvidence } from './find-certificate-violations.ts';
import { findChargeViolations } from './find-charge-violations.ts';
import { openChainReader } from './follow-chain.ts';
import { readAuditViolations } from './read-audit-violations.ts';
import { readLedger, untilNoOpenReservation } from './read-ledger.ts';

/** Numbers of calls, certificates and charged tokens of a run, and the violations in them. */
export type JudgedCertificates = {
  calls: number;
  certificates: number;
  charged: number;
  violations: string[];
};

/**
 * Time after the completion timeout in which the sweeper must have ended all reservations of killed
 * processes; a reservation expires 15 s after the timeout.
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
