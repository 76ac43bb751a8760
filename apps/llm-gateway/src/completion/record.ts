import { hash } from 'node:crypto';
import { isServiceError } from '@witan/contracts';
import type { CertificateDraft, LedgerClient, ServiceError } from '@witan/contracts';
import { answerCommitmentText, embeddingCommitmentText } from '@witan/proof';
import type { Ending, Intent, PlannedAttempt, ReservedAttempt } from './attempt.ts';
import { commitmentOf } from './egress.ts';
import { endIdOf } from './ending.ts';
import { toUnsentFailure } from './outcome.ts';
import type { FailedAttempt, Failure } from './outcome.ts';
import { fitOutput } from './plan.ts';
import type { CallSummary } from './plan.ts';

/** Reasons with which the ledger refuses a reservation, so that there is none to release. */
const REFUSALS: ReadonlySet<string> = new Set(['INSUFFICIENT_QUOTA', 'RATE_LIMITED', 'CONFLICT']);

/**
 * Planned -> reserved: writes the intent and holds the tokens that the attempt may use. When fewer
 * tokens are available, the output limit is lowered before anything is sent. Fails, for example,
 * with the ledger's refusal or LEDGER_UNAVAILABLE. A crash here costs the tokens until the
 * reservation expires; then the sweeper certifies the call as `lost`, although nothing was sent.
 */
export const reserveAttempt = async (
  planned: PlannedAttempt,
  ledger: LedgerClient,
  expiresInMs: number,
): Promise<ReservedAttempt | FailedAttempt> => {
  const { need, limitOutput, ...attempt } = planned;
  const hold = async (
    { intent }: Pick<PlannedAttempt, 'intent'>,
    amount: number,
    minimum = amount,
  ) =>
    await ledger.reserve(intent.call.workspaceId, {
      intent: toIntentDraft(intent),
      expiresInMs,
      amount,
      minimum,
    });
  try {
    const held = await hold(attempt, need.amount, need.minimum);
    if (held === undefined || held >= need.amount) return { ...attempt, state: 'reserved' };
    const egress = await limitOutput(fitOutput(need, held));
    const intent = { ...attempt.intent, egress: commitmentOf(egress) };
    await hold({ intent }, held);
    return { ...attempt, state: 'reserved', egress, intent };
  } catch (error) {
    const isRefused = isServiceError(error) && REFUSALS.has(error.reason);
    // The reservation may exist. It is released because nothing will be sent, and the sweeper would
    // certify the call as `lost`.
    if (!isRefused) releaseInBackground(planned, ledger);
    return toUnreserved(toUnsentFailure(error));
  }
};

/**
 * Returns the failure, and decides whether the next target may be tried. After `balance_held` it
 * may not, because other calls hold tokens that every provider would need. After
 * `proof_id_released` it may, because an earlier try of the same call released this attempt and
 * went on to the next target. `proof` is the certificate of an earlier try.
 */
const toUnreserved = (failure: Failure): FailedAttempt => {
  const { code, proof } = failure.error.fields;
  const isFailover =
    code === 'proof_id_released' || (failure.isFailover && code !== 'balance_held');
  const named = proof ? { proofId: proof } : {};
  return { state: 'unsent', failure: { ...failure, isFailover }, ...named, providerMs: 0 };
};

/** The result of writing a certificate; `proofId` is its id. */
export type Certification =
  | { state: 'durable'; proofId: string }
  /** Durable under the attempt's own id, because the given one belongs to another call. */
  | { state: 'renamed'; proofId: string; error: ServiceError }
  /**
   * The write failed. If the ledger was unreachable, `proofId` is the id under which the sweeper
   * certifies the call as `lost`; otherwise it is undefined.
   */
  | { state: 'failed'; proofId: string | undefined; error: ServiceError };

/**
 * Writes the certificate that ends an attempt, under the attempt's own id unless another is given.
 * Resolves once it is durable or the write has failed. While the ledger is unreachable, the write
 * is retried for about 10 s in total, also with two ids, which is safe because appends are
 * idempotent by reservation. Not bound to the client's signal: calls of disconnected clients are
 * certified too. Rejects only for bugs.
 */
export const certify = async (
  ledger: LedgerClient,
  intent: Intent,
  ending: Ending,
  proofId = intent.proofId,
): Promise<Certification> => {
  const deadline = performance.now() + CERTIFY_RETRY_MS;
  const append = async (id: string): Promise<Certification> => {
    const draft = toDraft({ ...intent, proofId: id }, ending);
    const write = (): Promise<string> =>
      ledger.append(intent.call.workspaceId, draft, intent.proofId);
    try {
      return { state: 'durable', proofId: await retryLedgerWrite(write, deadline) };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const isPending = error.reason === 'LEDGER_UNAVAILABLE';
      return { state: 'failed', error, proofId: isPending ? endIdOf(intent) : undefined };
    }
  };
  const given = await append(proofId);
  const isTaken = given.state === 'failed' && given.error.reason === 'CONFLICT';
  if (!isTaken || proofId === intent.proofId) return given;
  const own = await append(intent.proofId);
  return own.state === 'durable' ? { ...own, state: 'renamed', error: given.error } : own;
};

/**
 * Ends the reservation of an attempt that sent no bytes; no certificate is written. If that fails,
 * it is retried in the background, so that the client receives the attempt's failure at once.
 */
export const releaseAttempt = async (
  attempt: Pick<ReservedAttempt, 'intent'>,
  ledger: LedgerClient,
): Promise<void> => {
  const { call, proofId } = attempt.intent;
  try {
    await ledger.release(call.workspaceId, proofId);
  } catch {
    releaseInBackground(attempt, ledger);
  }
};

/** If the ledger stays unreachable, the sweeper ends the reservation. */
const releaseInBackground = (
  { intent }: Pick<ReservedAttempt, 'intent'>,
  ledger: LedgerClient,
): void => {
  const { call, proofId } = intent;
  retryLedgerWrite(() => ledger.release(call.workspaceId, proofId)).catch(() => {});
};

/**
 * Returns the draft that the ledger stores until the call is settled; it becomes the certificate of
 * a lost call.
 */
export const toIntentDraft = (intent: Intent): CertificateDraft => {
  const { promptTokens, announcedId } = intent.call;
  const usage = { promptTokens, completionTokens: 0, totalTokens: promptTokens, estimated: true };
  const draft = toDraft(intent, { choices: [], finishReason: 'lost', usage }, NO_ANSWER_SHA256);
  draft.lostProofId = announcedId;
  return draft;
};

const commit = ({ choices, vectors }: Pick<Ending, 'choices' | 'vectors'>): string =>
  hash('sha256', vectors ? embeddingCommitmentText(vectors) : answerCommitmentText(choices), 'hex');

const NO_ANSWER_SHA256 = commit({ choices: [] });

const toGrounding = ({
  passages = [],
}: NonNullable<CallSummary['grounding']>): CertificateDraft['grounding'] => ({
  passages: passages.map(({ source = '', chunkId = '', page, sha256 = '' }) => ({
    source,
    chunkId,
    page,
    sha256,
  })),
});

const toDraft = (
  { call, ...intent }: Intent,
  ending: Ending,
  answerSha256 = commit(ending),
): CertificateDraft => ({
  proofId: intent.proofId,
  address: call.address,
  requestSha256: call.requestSha256,
  grounding: call.grounding && toGrounding(call.grounding),
  egress: {
    provider: intent.target.provider,
    model: intent.target.model,
    sha256: intent.egress.sha256,
    ...intent.egress.pii,
  },
  answer: {
    sha256: answerSha256,
    finishReason: ending.finishReason,
    usage: ending.usage,
  },
  routing: { taskType: call.taskType, reason: intent.reason },
  lostProofId: '',
  apiKeyId: call.actorId ?? '',
  durationMs: ending.durationMs === undefined ? undefined : Math.round(ending.durationMs),
});

/**
 * Time after the first try at which a ledger write is not retried, in milliseconds. A finished
 * answer is delayed accordingly while the ledger is unreachable.
 */
export const CERTIFY_RETRY_MS = 10_000;
const RETRY_MIN_MS = 25;
const RETRY_MAX_MS = 1_000;

/**
 * Runs a write, which must be idempotent, and repeats it while it fails with LEDGER_UNAVAILABLE:
 * until `deadline`, with delays that grow to 1 s. Rejects with the last LEDGER_UNAVAILABLE, or at
 * once with any other error.
 */
export const retryLedgerWrite = async <T>(
  write: () => Promise<T>,
  deadline = performance.now() + CERTIFY_RETRY_MS,
): Promise<T> => {
  for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      return await write();
    } catch (error) {
      const isRetryable = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
      if (!isRetryable || performance.now() + waitMs > deadline) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
  }
};
