import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { Write, WriteBatch, WriteReceiptSchema } from '@witan/contracts';
import type { LedgerService } from '@witan/contracts/services';
import {
  captureTrace,
  continueTrace,
  createChannel,
  createTickBatcher,
  toErrorDetail,
  withSpan,
} from '@witan/service-kit';
import type { Call, Channel, Handlers } from '@witan/service-kit';
import type { Books, Outcome } from '../domain/book/open-books.ts';
import type { BookWrite } from '../domain/book/write.ts';
import { checkDraft } from '../domain/certificate/to-payload.ts';
import { toCertificate } from './to-certificate.ts';

type WriteRpc = Handlers<typeof LedgerService>['write'];
type Receipt = MessageInitShape<typeof WriteReceiptSchema>;
type Answers = { receipts: Receipt[] };

/** Writes of one stream that may wait for their commit before its next batch is read. */
const IN_FLIGHT_MAX = 4_096;
/** Tokens of one reserve; a hundred of them are still a number that JSON can write. */
const AMOUNT_MAX = 10_000_000_000_000n;
/** Longest time that a caller may take to settle, in milliseconds. */
const EXPIRES_MAX_MS = 24 * 60 * 60_000;
const PROOF_ID = /^pf_[A-Za-z0-9]{16,40}$/;
/** What the kit takes for a scope; anything else would fail the commit that it shares. */
const WORKSPACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads batches while earlier ones commit; receipts of one turn leave together. */
export const createWrite =
  (books: Books): WriteRpc =>
  (batches, call) => {
    const answers = createChannel<Answers>(IN_FLIGHT_MAX);
    void acceptBatches(batches, call, books, answers);
    return answers;
  };

const acceptBatches = async (
  batches: AsyncIterable<WriteBatch>,
  call: Call,
  books: Books,
  answers: Channel<Answers>,
): Promise<void> => {
  const send = createTickBatcher<Receipt>((receipts) => void answers.push({ receipts }));
  const running = new Set<Promise<void>>();
  try {
    for await (const batch of untilStopping(batches, call)) {
      for (const write of batch.writes) {
        const done = answer(write, books, send).finally(() => running.delete(done));
        running.add(done);
      }
      while (running.size >= IN_FLIGHT_MAX) await Promise.race(running);
    }
    await Promise.all(running);
    // After the last receipts, which leave at the end of this turn.
    setImmediate(answers.end);
  } catch (error) {
    answers.fail(error);
  }
};

/** A service that winds up reads no further batch; its caller sends them elsewhere. */
async function* untilStopping(
  batches: AsyncIterable<WriteBatch>,
  { stopping }: Call,
): AsyncGenerator<WriteBatch> {
  const iterator = batches[Symbol.asyncIterator]();
  let wake = (): void => {};
  const onStop = (): void => wake();
  stopping.addEventListener('abort', onStop, { once: true });
  try {
    while (!stopping.aborted) {
      // A fresh one each time: a lasting promise would keep every race that it was part of.
      const stopped = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      const next = await Promise.race([iterator.next(), stopped]);
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    stopping.removeEventListener('abort', onStop);
  }
}

const answer = async (
  write: Write,
  books: Books,
  send: (receipt: Receipt) => void,
): Promise<void> => {
  try {
    const outcome = await continueTrace(write.trace, () => settle(write, books));
    send(toReceipt(write.sequence, outcome));
  } catch (error) {
    send(toRefusal(write.sequence, error));
  }
};

/** A write belongs to the trace of its own call, whatever it shares its batch and commit with. */
const settle = (write: Write, books: Books): Promise<Outcome> => {
  const kind = write.action.case ?? 'nothing';
  const attributes = { 'witan.workspace.id': write.workspaceId, 'witan.write': kind };
  return withSpan({ name: `write ${kind}`, role: 'server', attributes }, () =>
    books.write({ ...decodeWrite(write), trace: captureTrace() }),
  );
};

const decodeWrite = ({ workspaceId, action }: Write): BookWrite => {
  if (!WORKSPACE_ID.test(workspaceId)) throw invalidRequest('A write needs one workspace id.');
  if (action.case === 'append') {
    const draft = checkDraft(action.value.draft);
    const { proofId } = draft;
    const reservationId = action.value.reservationId || proofId;
    if (![proofId, reservationId].every((id) => PROOF_ID.test(id))) throw badProofId();
    return { kind: 'append', workspaceId, proofId, reservationId, draft };
  }
  if (!action.case) throw invalidRequest('A write needs an action.');
  const { proofId } = action.value;
  if (!PROOF_ID.test(proofId)) throw badProofId();
  if (action.case === 'release') return { kind: 'release', workspaceId, proofId };
  const { amount, minimum, expiresInMs } = action.value;
  if (expiresInMs < 1 || expiresInMs > EXPIRES_MAX_MS) {
    throw invalidRequest(`A reserve needs 1 to ${EXPIRES_MAX_MS} ms to live.`);
  }
  if (minimum < 0n || amount < minimum || amount > AMOUNT_MAX) {
    throw invalidRequest(`A reserve needs 0 <= minimum <= amount <= ${AMOUNT_MAX}.`);
  }
  const intent = action.value.intent && checkDraft(action.value.intent);
  if (intent && intent.proofId !== proofId) {
    throw invalidRequest("A reserve's intent must carry the proof id of the reserve.");
  }
  if (intent?.lostProofId && !PROOF_ID.test(intent.lostProofId)) throw badProofId();
  return { kind: 'reserve', workspaceId, proofId, amount, minimum, intent, expiresInMs };
};

const badProofId = () => invalidRequest('A write needs proof ids (pf_...).');

const toReceipt = (sequence: number, outcome: Outcome): Receipt => {
  switch (outcome.kind) {
    case 'appended': {
      const value = { certificate: toCertificate(outcome.certificate) };
      return { sequence, outcome: { case: 'appended', value } };
    }
    case 'reserved':
      return { sequence, outcome: { case: 'reserved', value: { held: outcome.held } } };
    default:
      return { sequence, outcome: { case: 'released', value: {} } };
  }
};

const toRefusal = (sequence: number, error: unknown): Receipt => ({
  sequence,
  outcome: { case: 'error', value: toErrorDetail(error) },
});
