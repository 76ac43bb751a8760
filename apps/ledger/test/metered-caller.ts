import { isServiceError } from '@witan/contracts';
import type { Draft } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { appendOf, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import type { TestLedger } from './open-ledger.ts';
import type { Writer } from './open-writer.ts';

/** How one metered call goes, as its caller would have it. */
export type CallPlan = {
  workspaceId: string;
  /** Asked for, and the fewest that are of use. */
  amount: number;
  minimum: number;
  /** What the provider counts in the end, in parts of what is held; above 1 it is an overrun. */
  share: number;
  /** The call ends like this; one that was left is the sweeper's. */
  ending: 'settled' | 'released' | 'left';
  /** Its certificate has another id than its reservation. */
  isRenamed?: boolean;
};

/** What became of a call; `unknown`: its reserve was neither durable nor refused. */
export type CallEnd =
  | { kind: 'settled'; proofId: string; payloadHash: string }
  | { kind: 'released' | 'left' | 'refused' | 'unknown'; proofId: string };

const ATTEMPTS_MAX = 500;
/** Longer than any call takes on a busy machine: only what was left is for the sweeper. */
const EXPIRES_MS = 60_000;
const LEFT_MS = 50;

/** Of a write, and of any other call. */
const MAY_PASS: ReadonlySet<string> = new Set(['LEDGER_UNAVAILABLE', 'UNAVAILABLE']);

const reasonOf = (error: unknown): string => (isServiceError(error) ? error.reason : '');

/** Asks again, by the same id, until it is known; `onAgain` counts. */
export const insist = async <T>(ask: () => Promise<T>, onAgain = (): void => {}): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!MAY_PASS.has(reasonOf(error)) || attempts > ATTEMPTS_MAX) throw error;
      onAgain();
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
};

const draftOf = (proofId: string, totalTokens: number): Draft =>
  makeDraft(proofId, {
    answer: {
      sha256: 'ab'.repeat(32),
      finishReason: 'stop',
      usage: { promptTokens: 0, completionTokens: totalTokens, totalTokens },
    },
  });

/**
 * Makes one call as the llm-gateway does: holds, makes the call smaller and holds again when less
 * is there, releases what nobody knows the fate of, and settles until that is durable.
 */
export const makeMeteredCall = async (
  writer: Writer,
  { workspaceId, amount, minimum, share, ending, isRenamed = false }: CallPlan,
  onAgain: () => void,
): Promise<CallEnd> => {
  const reservationId = newId('pf');
  const proofId = isRenamed ? `${reservationId}as` : reservationId;
  const expiresInMs = ending === 'left' ? LEFT_MS : EXPIRES_MS;
  const intentOf = (most: number): Draft => ({
    ...draftOf(reservationId, most),
    lostProofId: proofId,
  });
  const hold = (most: number, least: number) =>
    writer.hold(
      reserveOf(workspaceId, intentOf(most), expiresInMs, {
        amount: BigInt(most),
        minimum: BigInt(least),
      }),
    );
  const release = () => insist(() => writer.write(releaseOf(workspaceId, reservationId)), onAgain);
  let held: number;
  try {
    held = Number(await hold(amount, minimum));
    if (held < amount) await hold(held, held);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === 'INSUFFICIENT_QUOTA' || reason === 'RATE_LIMITED') {
      return { kind: 'refused', proofId };
    }
    // CONFLICT: swept before it came again with less; its caller was too slow.
    if (reason !== 'LEDGER_UNAVAILABLE' && reason !== 'CONFLICT') throw error;
    if (reason === 'LEDGER_UNAVAILABLE') onAgain();
    await release();
    return { kind: 'unknown', proofId };
  }
  if (ending === 'left') return { kind: 'left', proofId };
  if (ending === 'released') {
    await release();
    return { kind: 'released', proofId };
  }
  const draft = draftOf(proofId, Math.floor(held * share));
  const append = appendOf(workspaceId, draft, reservationId);
  const certificate = await insist(() => writer.write(append), onAgain);
  return { kind: 'settled', proofId, payloadHash: certificate!.payloadHash };
};

/** Credits an account until that is known; answers what was added, once. */
export const insistOnCredit = async (
  { accounts }: TestLedger,
  workspaceId: string,
  amount: bigint,
): Promise<bigint> => {
  const entryId = newId('ent');
  await insist(() => accounts.credit({ entryId, amount }, { workspaceId, timeoutMs: 10_000 }));
  return amount;
};
