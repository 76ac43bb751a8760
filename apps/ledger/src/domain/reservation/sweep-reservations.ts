import { isServiceError } from '@witan/contracts';
import type { Draft } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import type { Books } from '../book/open-books.ts';

/** A held reservation whose caller did not come back in time. */
export type ExpiredReservation = {
  proofId: string;
  workspaceId: string;
  /** What was about to be sent; undefined when nothing was. */
  intent: Draft | undefined;
};

export type Swept = { lost: number; released: number };

/** Reservations ended in one sweep; the next sweep takes the rest. */
const SWEEP_MAX = 500;

/**
 * Ends what callers left: never sent → released; sent and not settled → sealed as `lost`, with the
 * usage estimated before the call. Replicas may sweep at once: the books let each end only once.
 */
export const sweepReservations = async (
  findExpired: (limit: number) => Promise<ExpiredReservation[]>,
  books: Books,
): Promise<Swept> => {
  const expired = await findExpired(SWEEP_MAX);
  await Promise.all(
    expired.map(async ({ proofId, workspaceId, intent }) => {
      if (intent) await sealLost({ proofId, workspaceId, intent }, books);
      else await books.write({ kind: 'release', workspaceId, proofId, onlyUnsent: true });
    }),
  );
  const lost = expired.filter(({ intent }) => intent).length;
  return { lost, released: expired.length - lost };
};

/**
 * Under the id that the intent names, which a client may have been told; under its own when that
 * has become another call's certificate.
 */
const sealLost = async (
  { proofId, workspaceId, intent }: ExpiredReservation & { intent: Draft },
  books: Books,
): Promise<void> => {
  const seal = (id: string): Promise<unknown> => {
    const draft = toLost(intent, id);
    const names = { proofId: id, reservationId: proofId };
    return books.write({ kind: 'append', workspaceId, ...names, draft });
  };
  const { lostProofId } = intent;
  if (!lostProofId || lostProofId === proofId) return void (await seal(proofId));
  try {
    await seal(lostProofId);
  } catch (error) {
    if (!isServiceError(error) || error.reason !== 'CONFLICT') throw error;
    await seal(proofId);
  }
};

/** Nobody knows what came back: the certificate commits to an empty answer. */
const toLost = (intent: Draft, proofId: string): Draft => ({
  ...intent,
  proofId,
  answer: { ...intent.answer!, sha256: commitAnswer([]), finishReason: 'lost' },
});
