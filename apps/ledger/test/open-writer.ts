import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { WriteSchema } from '@witan/contracts';
import type { Certificate, Write, WriteBatchSchema, WriteReceipt } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import {
  createChannel,
  createClient,
  createTickBatcher,
  fromErrorDetail,
} from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

type WriteInit = MessageInitShape<typeof WriteSchema>;
type Batch = MessageInitShape<typeof WriteBatchSchema>;
type Outcome = WriteReceipt['outcome'];
type Waiting = PromiseWithResolvers<Outcome>;

/** A client of the ledger's write stream; writes of one event-loop tick share a batch. */
export type Writer = {
  write: (write: WriteInit) => Promise<Certificate | undefined>;
  /** Resolves with the number of held tokens; undefined if the ledger does not meter calls. */
  hold: (reserve: WriteInit) => Promise<bigint | undefined>;
  end: () => Promise<void>;
};

const BATCHES_MAX = 1_024;

export const openWriter = (transport: Transport): Writer => {
  const batches = createChannel<Batch>(BATCHES_MAX);
  const waiting = new Map<number, Waiting>();
  let sequence = 0;
  const reading = readReceipts(transport, batches, waiting);
  const send = createTickBatcher<Write>((writes) => void batches.push({ writes }));
  const push = (write: WriteInit): Promise<Outcome> => {
    sequence += 1;
    const entry: Waiting = Promise.withResolvers();
    waiting.set(sequence, entry);
    const message = create(WriteSchema, write);
    message.sequence = sequence;
    send(message);
    return entry.promise;
  };
  return {
    write: async (write) => {
      const outcome = await push(write);
      return outcome.case === 'appended' ? outcome.value.certificate : undefined;
    },
    hold: async (reserve) => {
      const outcome = await push(reserve);
      if (outcome.case !== 'reserved')
        throw new Error(`Unexpected outcome of a reserve: ${outcome.case}.`);
      return outcome.value.held;
    },
    end: async () => {
      setImmediate(batches.end);
      await reading;
    },
  };
};

const readReceipts = async (
  transport: Transport,
  batches: AsyncIterable<Batch>,
  waiting: Map<number, Waiting>,
): Promise<void> => {
  let failure: unknown = new Error('The stream ended without this receipt.');
  try {
    for await (const { receipts } of createClient(LedgerService, transport).write(batches, {})) {
      for (const receipt of receipts) settle(receipt, waiting);
    }
  } catch (error) {
    failure = error;
  }
  for (const entry of waiting.values()) entry.reject(failure);
};

const settle = ({ sequence, outcome }: WriteReceipt, waiting: Map<number, Waiting>): void => {
  const entry = waiting.get(sequence);
  waiting.delete(sequence);
  if (outcome.case === 'error') entry?.reject(fromErrorDetail(outcome.value));
  else entry?.resolve(outcome);
};
