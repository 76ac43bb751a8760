import { isServiceError } from '@witan/contracts';
import type { CertificateDraft } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import type { LedgerWriter } from '../write/ledger-writer.ts';

export type ExpiredReservation = {
  proofId: string;
  workspaceId: string;
  intent: CertificateDraft | undefined;
};

export type Swept = { lost: number; released: number };

const SWEEP_MAX = 500;

/**
 * Ends up to `SWEEP_MAX` expired reservations: releases those without an intent, because their
 * request cannot have been sent, and certifies the others as `lost`, with the usage estimated
 * before the call. Replicas can sweep concurrently.
 */
export const sweepReservations = async (
  findExpired: (limit: number) => Promise<ExpiredReservation[]>,
  ledgerWriter: Pick<LedgerWriter, 'write'>,
): Promise<Swept> => {
  const expired = await findExpired(SWEEP_MAX);
  await Promise.all(
    expired.map(async ({ proofId, workspaceId, intent }) => {
      if (intent) await certifyLost({ proofId, workspaceId, intent }, ledgerWriter);
      else await ledgerWriter.write({ kind: 'release', workspaceId, proofId, onlyUnsent: true });
    }),
  );
  const lost = expired.filter(({ intent }) => intent).length;
  return { lost, released: expired.length - lost };
};

/**
 * Certifies a lost call under the intent's `lostProofId`, which the client may know. Uses the
 * reservation's own id if the intent has no `lostProofId` or the ledger refuses it with CONFLICT.
 */
const certifyLost = async (
  { proofId, workspaceId, intent }: ExpiredReservation & { intent: CertificateDraft },
  ledgerWriter: Pick<LedgerWriter, 'write'>,
): Promise<void> => {
  const certify = (id: string): Promise<unknown> => {
    const draft = toLost(intent, id);
    const ids = { proofId: id, reservationId: proofId };
    return ledgerWriter.write({ kind: 'append', workspaceId, ...ids, draft });
  };
  const { lostProofId } = intent;
  if (!lostProofId || lostProofId === proofId) return void (await certify(proofId));
  try {
    await certify(lostProofId);
  } catch (error) {
    if (!isServiceError(error) || error.reason !== 'CONFLICT') throw error;
    await certify(proofId);
  }
};

/**
 * Returns the draft of a lost call. The response is unknown, so the certificate commits to an empty
 * answer.
 */
const toLost = (intent: CertificateDraft, proofId: string): CertificateDraft => ({
  ...intent,
  proofId,
  answer: { ...intent.answer, sha256: commitAnswer([]), finishReason: 'lost' },
});
