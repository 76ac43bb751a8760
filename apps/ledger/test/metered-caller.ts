import { isServiceError } from '@witan/contracts';
import type { CertificateDraft } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { appendOf, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import type { TestLedger } from './open-ledger.ts';
import type { Writer } from './open-writer.ts';

export type CallPlan = {
  workspaceId: string;
  /** Requested tokens; `minimum` is the fewest that the call accepts. */
  amount: number;
  minimum: number;
  /** Final usage as a share of the held amount; above 1 is an overrun. */
  share: number;
  /** `abandoned`: the caller does not end the call, so the sweeper does. */
  ending: 'settled' | 'released' | 'abandoned';
  /** True if the certificate has another id than the reservation. */
  isRenamed?: boolean;
};

/**
 * How a call ended. `unknown`: the outcome of a reserve is unknown, or the sweeper ended the
 * reservation.
 */
export type CallEnd =
  | { kind: 'settled'; proofId: string; payloadHash: string }
  | { kind: 'released' | 'abandoned' | 'refused' | 'unknown'; proofId: string };

const ATTEMPTS_MAX = 500;
/** Longer than any call on a busy machine, so that only `abandoned` calls are swept. */
const EXPIRES_MS = 60_000;
const ABANDONED_EXPIRES_MS = 50;

const RETRYABLE: ReadonlySet<string> = new Set(['LEDGER_UNAVAILABLE', 'UNAVAILABLE']);

const reasonOf = (error: unknown): string => (isServiceError(error) ? error.reason : '');

export const retryUntilOutcomeKnown = async <T>(
  attempt: () => Promise<T>,
  onRetry = (): void => {},
): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!RETRYABLE.has(reasonOf(error)) || attempts > ATTEMPTS_MAX) throw error;
      onRetry();
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
};

const draftOf = (proofId: string, totalTokens: number): CertificateDraft =>
  makeDraft(proofId, {
    answer: {
      sha256: 'ab'.repeat(32),
      finishReason: 'stop',
      usage: { promptTokens: 0, completionTokens: totalTokens, totalTokens },
    },
  });

/**
 * Makes a call as the llm-gateway does: makes a reservation, makes it again with the held amount if
 * fewer tokens are held than requested, releases a reservation whose outcome is unknown, and
 * retries the append until the certificate is durable.
 */
export const makeMeteredCall = async (
  writer: Writer,
  { workspaceId, amount, minimum, share, ending, isRenamed = false }: CallPlan,
  onRetry: () => void,
): Promise<CallEnd> => {
  const reservationId = newId('pf');
  const proofId = isRenamed ? `${reservationId}as` : reservationId;
  const expiresInMs = ending === 'abandoned' ? ABANDONED_EXPIRES_MS : EXPIRES_MS;
  const makeIntent = (amountMax: number): CertificateDraft => ({
    ...draftOf(reservationId, amountMax),
    lostProofId: proofId,
  });
  const hold = (amountMax: number, amountMin: number) =>
    writer.hold(
      reserveOf(workspaceId, makeIntent(amountMax), expiresInMs, {
        amount: BigInt(amountMax),
        minimum: BigInt(amountMin),
      }),
    );
  const release = () =>
    retryUntilOutcomeKnown(() => writer.write(releaseOf(workspaceId, reservationId)), onRetry);
  let held: number;
  try {
    held = Number(await hold(amount, minimum));
    if (held < amount) await hold(held, held);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === 'INSUFFICIENT_QUOTA' || reason === 'RATE_LIMITED') {
      return { kind: 'refused', proofId };
    }
    // CONFLICT means that the sweeper ended the reservation before the second reserve.
    if (reason !== 'LEDGER_UNAVAILABLE' && reason !== 'CONFLICT') throw error;
    if (reason === 'LEDGER_UNAVAILABLE') onRetry();
    await release();
    return { kind: 'unknown', proofId };
  }
  if (ending === 'abandoned') return { kind: 'abandoned', proofId };
  if (ending === 'released') {
    await release();
    return { kind: 'released', proofId };
  }
  const draft = draftOf(proofId, Math.floor(held * share));
  const append = appendOf(workspaceId, draft, reservationId);
  const certificate = await retryUntilOutcomeKnown(() => writer.write(append), onRetry);
  return { kind: 'settled', proofId, payloadHash: certificate!.payloadHash };
};

export const creditWithRetries = async (
  { accounts }: TestLedger,
  workspaceId: string,
  amount: bigint,
): Promise<bigint> => {
  const entryId = newId('ent');
  await retryUntilOutcomeKnown(() =>
    accounts.credit({ entryId, amount }, { workspaceId, timeoutMs: 10_000 }),
  );
  return amount;
};
