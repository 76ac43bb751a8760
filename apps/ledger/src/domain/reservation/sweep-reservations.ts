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
    expired.map(({ proofId, workspaceId, intent }) =>
      books.write(
        intent
          ? { kind: 'append', workspaceId, proofId, draft: toLost(intent) }
          : { kind: 'release', workspaceId, proofId, onlyUnsent: true },
      ),
    ),
  );
  const lost = expired.filter(({ intent }) => intent).length;
  return { lost, released: expired.length - lost };
};

/** Nobody knows what came back: the certificate commits to an empty answer. */
const toLost = (intent: Draft): Draft => ({
  ...intent,
  answer: { ...intent.answer!, sha256: commitAnswer([]), finishReason: 'lost' },
});
