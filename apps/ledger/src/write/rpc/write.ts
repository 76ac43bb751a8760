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
import type { LedgerWriter, Outcome } from '../ledger-writer.ts';
import type { LedgerWrite } from '../ledger-write.ts';
import { checkWrite } from '../check-write.ts';
import { checkDraft } from '../../chain/to-payload.ts';
import { toCertificate } from '../../chain/rpc/certificates.ts';

type WriteRpc = Handlers<typeof LedgerService>['write'];
type Receipt = MessageInitShape<typeof WriteReceiptSchema>;
type ReceiptBatch = { receipts: Receipt[] };

const IN_FLIGHT_MAX = 4_096;

/**
 * Creates the handler of writes. It reads batches while earlier ones commit, and sends the receipts
 * of one event-loop tick together.
 */
export const createWrite =
  (ledgerWriter: Pick<LedgerWriter, 'write'>): WriteRpc =>
  (batches, call) => {
    const receiptBatches = createChannel<ReceiptBatch>(IN_FLIGHT_MAX);
    void acceptBatches(batches, call, ledgerWriter, receiptBatches);
    return receiptBatches;
  };

const acceptBatches = async (
  batches: AsyncIterable<WriteBatch>,
  call: Call,
  ledgerWriter: Pick<LedgerWriter, 'write'>,
  receiptBatches: Channel<ReceiptBatch>,
): Promise<void> => {
  const send = createTickBatcher<Receipt>((receipts) => void receiptBatches.push({ receipts }));
  const running = new Set<Promise<void>>();
  try {
    for await (const batch of readUntilStopping(batches, call)) {
      for (const write of batch.writes) {
        const pendingWrite = writeOne(write, ledgerWriter, send).finally(() =>
          running.delete(pendingWrite),
        );
        running.add(pendingWrite);
      }
      while (running.size >= IN_FLIGHT_MAX) await Promise.race(running);
    }
    await Promise.all(running);
    // Deferred, because the last receipts are sent at the end of this tick.
    setImmediate(receiptBatches.end);
  } catch (error) {
    receiptBatches.fail(error);
  }
};

/**
 * Yields batches until the caller ends the stream or the service stops. In the latter case, the
 * caller sends further batches to another replica.
 */
async function* readUntilStopping(
  batches: AsyncIterable<WriteBatch>,
  { stopping }: Call,
): AsyncGenerator<WriteBatch> {
  const iterator = batches[Symbol.asyncIterator]();
  let wake = (): void => {};
  const onStop = (): void => wake();
  stopping.addEventListener('abort', onStop, { once: true });
  try {
    while (!stopping.aborted) {
      // Every race gets a new promise, because a shared one would retain the reactions of all
      // races.
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

const writeOne = async (
  write: Write,
  ledgerWriter: Pick<LedgerWriter, 'write'>,
  send: (receipt: Receipt) => void,
): Promise<void> => {
  try {
    const outcome = await continueTrace(write.trace, () => applyWrite(write, ledgerWriter));
    send(toReceipt(write, outcome));
  } catch (error) {
    send(toRefusal(write.sequence, error));
  }
};

/**
 * Writes within a span that belongs to the trace of the write's own call, not to that of its batch.
 */
const applyWrite = (write: Write, ledgerWriter: Pick<LedgerWriter, 'write'>): Promise<Outcome> => {
  const kind = write.action.case ?? 'nothing';
  const attributes = { 'witan.workspace.id': write.workspaceId, 'witan.write': kind };
  return withSpan({ name: `write ${kind}`, role: 'server', attributes }, () =>
    ledgerWriter.write({ ...checkWrite(decodeWrite(write)), trace: captureTrace() }),
  );
};

const decodeWrite = ({ workspaceId, action }: Write): LedgerWrite => {
  if (!action.case) throw invalidRequest('A write needs an action.');
  if (action.case === 'append') {
    const draft = checkDraft(action.value.draft);
    const { proofId } = draft;
    const reservationId = action.value.reservationId || proofId;
    return { kind: 'append', workspaceId, proofId, reservationId, draft };
  }
  const { proofId } = action.value;
  if (action.case === 'release') return { kind: 'release', workspaceId, proofId };
  const { amount, minimum, expiresInMs } = action.value;
  const intent = action.value.intent && checkDraft(action.value.intent);
  return { kind: 'reserve', workspaceId, proofId, amount, minimum, intent, expiresInMs };
};

const toReceipt = ({ sequence, action }: Write, outcome: Outcome): Receipt => {
  switch (outcome.kind) {
    case 'appended': {
      const { certificate } = outcome;
      const isIdOnly = action.case === 'append' && action.value.idOnly;
      const value = {
        proofId: certificate.id,
        ...(isIdOnly ? {} : { certificate: toCertificate(certificate) }),
      };
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
