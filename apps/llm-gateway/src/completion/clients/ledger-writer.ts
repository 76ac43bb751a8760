import type { MessageInitShape } from '@bufbuild/protobuf';
import { ServiceError } from '@witan/contracts';
import type { LedgerClient, WriteBatchSchema, WriteReceipt, WriteSchema } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import {
  captureTrace,
  createChannel,
  createClient,
  createTickBatcher,
  fromErrorDetail,
  withoutTrace,
} from '@witan/service-kit';
import type { Channel, Client, Transport } from '@witan/service-kit';

type WriteInit = MessageInitShape<typeof WriteSchema>;
type Batch = MessageInitShape<typeof WriteBatchSchema>;
type Outcome = WriteReceipt['outcome'];
type PendingWrite = {
  write: WriteInit;
  attempts: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
};

type Stream = {
  batches: Channel<Batch>;
  pendingWrites: Map<number, PendingWrite>;
  openedAt: number;
  isFull: boolean;
};

/**
 * Milliseconds after which a sent write without a receipt fails; writes are idempotent, so callers
 * can retry.
 */
const RECEIPT_TIMEOUT_MS = 5_000;
/**
 * Maximum number of times a write is sent: a stream may end with its ledger replica, so
 * unacknowledged writes are sent once more.
 */
const TRIES_MAX = 2;
/**
 * Age after which the next write opens a new stream, so that writes also reach new ledger replicas.
 */
const STREAM_LIFETIME_MS = 60_000;
/** Limit of batches buffered for a slow ledger; further writes are refused. */
const BATCHES_MAX = 1_024;

export type LedgerWriter = LedgerClient & {
  close: () => Promise<void>;
};

/**
 * Creates a writer to the ledger over a long-lived stream; writes of one event-loop tick share a
 * batch. A write without a receipt when its stream ends is sent once more on a new stream, because
 * another replica is usually available at once; after a second such end it fails with
 * LEDGER_UNAVAILABLE.
 */
export const createLedgerWriter = (transport: Transport): LedgerWriter => {
  const channel = openWriteChannel(createClient(LedgerService, transport));
  const pending = new Set<Promise<Outcome>>();
  const write = (init: WriteInit): Promise<Outcome> => {
    const receipt = new Promise<Outcome>((resolve, reject) => {
      const tracedWrite = { ...init, trace: captureTrace() };
      channel.send({ write: tracedWrite, attempts: 0, resolve, reject, timer: undefined! });
    });
    const removePending = (): void => void pending.delete(receipt);
    pending.add(receipt);
    receipt.then(removePending, removePending);
    return receipt;
  };

  return {
    reserve: async (workspaceId, { intent, expiresInMs, amount, minimum }) => {
      const value = {
        proofId: intent.proofId,
        amount: BigInt(amount),
        minimum: BigInt(minimum),
        intent,
        expiresInMs,
      };
      const outcome = await write({ workspaceId, action: { case: 'reserve', value } });
      const held = outcome.case === 'reserved' ? outcome.value.held : undefined;
      return held === undefined ? undefined : Number(held);
    },
    append: async (workspaceId, draft, reservationId = draft.proofId) => {
      const value = { draft, reservationId, idOnly: true };
      const outcome = await write({ workspaceId, action: { case: 'append', value } });
      return outcome.case === 'appended' ? outcome.value.proofId : draft.proofId;
    },
    release: async (workspaceId, proofId) => {
      await write({ workspaceId, action: { case: 'release', value: { proofId } } });
    },
    close: async () => {
      await Promise.allSettled(pending);
      channel.end();
    },
  };
};

type WriteChannel = { send: (entry: PendingWrite) => void; end: () => void };

const openWriteChannel = (client: Client<typeof LedgerService>): WriteChannel => {
  let stream: Stream | undefined;
  let sequence = 0;

  const current = (): Stream => {
    if (stream && performance.now() - stream.openedAt > STREAM_LIFETIME_MS) {
      stream.batches.end();
      stream = undefined;
    }
    stream ??= openStream(client, (endedStream, cause) => {
      if (stream === endedStream) stream = undefined;
      for (const entry of endedStream.pendingWrites.values()) {
        clearTimeout(entry.timer);
        if (entry.attempts < TRIES_MAX) send(entry);
        else entry.reject(unavailable(cause));
      }
    });
    return stream;
  };
  const send = createTickBatcher<PendingWrite>((entries) => {
    const open = current();
    if (open.isFull) return entries.forEach((entry) => entry.reject(unavailable()));
    const writes = entries.map((entry) => {
      entry.attempts += 1;
      sequence = (sequence + 1) >>> 0;
      const entrySequence = sequence;
      open.pendingWrites.set(entrySequence, entry);
      entry.timer = setTimeout(() => {
        open.pendingWrites.delete(entrySequence);
        entry.reject(unavailable());
      }, RECEIPT_TIMEOUT_MS);
      return { ...entry.write, sequence };
    });
    pushBatch(open, { writes });
  });
  return { send, end: () => stream?.batches.end() };
};

const openStream = (
  client: Client<typeof LedgerService>,
  onEnd: (stream: Stream, cause: unknown) => void,
): Stream => {
  const stream: Stream = {
    batches: createChannel<Batch>(BATCHES_MAX),
    pendingWrites: new Map(),
    openedAt: performance.now(),
    isFull: false,
  };
  // The stream carries writes of many traces, so it belongs to none of them.
  void withoutTrace(() => readReceipts(client, stream)).then((cause) => onEnd(stream, cause));
  return stream;
};

/**
 * Sends a batch. If the stream's buffer is full, further writes are refused until it has drained.
 */
const pushBatch = (stream: Stream, batch: Batch): void => {
  const drained = stream.batches.push(batch);
  if (!drained) return;
  stream.isFull = true;
  void drained.then(() => {
    stream.isFull = false;
  });
};

const readReceipts = async (
  client: Client<typeof LedgerService>,
  { batches, pendingWrites }: Stream,
): Promise<unknown> => {
  let cause: unknown;
  try {
    for await (const { receipts } of client.write(batches, {})) {
      for (const receipt of receipts) settle(receipt, pendingWrites);
    }
  } catch (error) {
    cause = error;
  }
  batches.close();
  return cause;
};

const settle = (
  { sequence, outcome }: WriteReceipt,
  pendingWrites: Map<number, PendingWrite>,
): void => {
  const entry = pendingWrites.get(sequence);
  if (!entry) return;
  pendingWrites.delete(sequence);
  clearTimeout(entry.timer);
  if (outcome.case === 'error') entry.reject(fromErrorDetail(outcome.value));
  else entry.resolve(outcome);
};

const unavailable = (cause?: unknown): ServiceError =>
  new ServiceError('LEDGER_UNAVAILABLE', 'The ledger is not reachable; try again in a moment.', {
    cause,
  });
