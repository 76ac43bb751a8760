import { getEventListeners } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { WriteBatchSchema } from '@witan/contracts';
import type { WriteBatch } from '@witan/contracts';
import { createChannel } from '@witan/service-kit';
import { appendOf, makeDraft, reserveOf } from '../../../test/drafts.ts';
import type { Outcome } from '../ledger-writer.ts';
import { createWrite } from './write.ts';

const RESERVED_OUTCOME: Outcome = { kind: 'reserved', held: undefined };

const batchOf = (sequence: number): WriteBatch =>
  create(WriteBatchSchema, { writes: [{ ...reserveOf('ws_a', makeDraft()), sequence }] });

const openCall = (stopping: AbortSignal) => ({
  caller: 'llm-gateway',
  workspaceId: '',
  requestId: '',
  signal: new AbortController().signal,
  stopping,
});

const readSequences = async (receiptBatches: ReturnType<ReturnType<typeof createWrite>>) => {
  const sequences: (number | undefined)[] = [];
  for await (const { receipts } of receiptBatches) {
    sequences.push(...(receipts ?? []).map(({ sequence }) => sequence));
  }
  return sequences;
};

describe('the write stream', () => {
  it('removes its listeners from the server signal, which outlives every stream', async () => {
    const { signal } = new AbortController();
    const write = createWrite({ write: async () => RESERVED_OUTCOME });
    for (let stream = 0; stream < 20; stream += 1) {
      const batches = createChannel<WriteBatch>(1_000);
      for (let n = 1; n <= 50; n += 1) void batches.push(batchOf(n));
      batches.end();
      expect(await readSequences(write(batches, openCall(signal)))).toHaveLength(50);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('sends receipts for accepted writes and ends when the service stops', async () => {
    const stopping = new AbortController();
    const durable = Promise.withResolvers<Outcome>();
    const writesReceived = Promise.withResolvers<void>();
    const write = createWrite({
      write: () => {
        writesReceived.resolve();
        return durable.promise;
      },
    });
    const batches = createChannel<WriteBatch>(10);
    void batches.push(batchOf(1));
    const reading = readSequences(write(batches, openCall(stopping.signal)));
    await writesReceived.promise;
    stopping.abort();
    void batches.push(batchOf(2));
    durable.resolve(RESERVED_OUTCOME);
    expect(await reading).toEqual([1]);
  });

  it('accepts nothing when it is opened while the service stops', async () => {
    const write = createWrite({
      write: async () => {
        throw new Error('not expected');
      },
    });
    const batches = createChannel<WriteBatch>(10);
    void batches.push(batchOf(1));
    expect(await readSequences(write(batches, openCall(AbortSignal.abort())))).toEqual([]);
  });

  it('sends only the id of a certificate if the append asks for no more', async () => {
    const draft = makeDraft();
    const certificate = {
      ...{ id: draft.proofId, workspaceId: 'ws_a', chainIndex: 0, payload: '{}' },
      ...{ payloadHash: 'hash', signature: 'signature', keyId: 'key' },
    };
    const write = createWrite({ write: async () => ({ kind: 'appended', certificate }) });
    const batches = createChannel<WriteBatch>(10);
    const { action } = appendOf('ws_a', draft);
    const idOnly = { ...action, value: { ...action.value, idOnly: true } };
    const writes = [action, idOnly].map((each) => ({ workspaceId: 'ws_a', action: each }));
    void batches.push(create(WriteBatchSchema, { writes }));
    const receiptBatches = write(batches, openCall(new AbortController().signal));
    const { value } = await receiptBatches[Symbol.asyncIterator]().next();
    const sent = (value as { receipts: { outcome?: { value?: unknown } }[] }).receipts.map(
      ({ outcome }) => outcome?.value,
    );
    expect(sent).toEqual([
      expect.objectContaining({ certificate: expect.objectContaining({ payload: '{}' }) }),
      { proofId: draft.proofId },
    ]);
    batches.end();
  });

  it('sends receipts in the order in which writes finish', async () => {
    const first = Promise.withResolvers<Outcome>();
    const write = createWrite({
      write: async ({ proofId }) => (proofId.endsWith('1') ? first.promise : RESERVED_OUTCOME),
    });
    const batches = createChannel<WriteBatch>(10);
    const draftOf = (end: string) => makeDraft(`pf_00000000000000000000${end}`);
    const writes = [
      { ...reserveOf('ws_a', draftOf('1')), sequence: 1 },
      { ...reserveOf('ws_a', draftOf('2')), sequence: 2 },
    ];
    void batches.push(create(WriteBatchSchema, { writes }));
    const receiptBatches = write(batches, openCall(new AbortController().signal));
    const reader = receiptBatches[Symbol.asyncIterator]();
    const firstReceipts = await reader.next();
    expect(firstReceipts.value).toMatchObject({ receipts: [{ sequence: 2 }] });
    first.resolve(RESERVED_OUTCOME);
    const lastReceipts = await reader.next();
    expect(lastReceipts.value).toMatchObject({ receipts: [{ sequence: 1 }] });
    batches.end();
    expect((await reader.next()).done).toBe(true);
  });
});
