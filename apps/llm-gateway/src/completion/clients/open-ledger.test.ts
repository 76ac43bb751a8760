import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LocalLedger } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import {
  createDispatcher,
  createInProcessTransport,
  createLog,
  implement,
} from '@witan/service-kit';
import type { Dispatcher } from '@witan/service-kit';
import { openLedger } from './open-ledger.ts';

/** A ledger in the same process whose releases stay pending until `finish`. */
const openLocalLedger = () => {
  const pending: PromiseWithResolvers<void>[] = [];
  let opened = 0;
  let dispatcher: Dispatcher | undefined;
  const open = async (_request: object, { stopping }: { stopping: AbortSignal }) => {
    opened += 1;
    const release = (): Promise<void> => {
      const write = Promise.withResolvers<void>();
      pending.push(write);
      return write.promise;
    };
    const unused = async (): Promise<never> => {
      throw new Error('Only releases are written.');
    };
    return { stopping, reserve: unused, append: unused, release } satisfies LocalLedger;
  };
  const start = (): void => {
    dispatcher = createDispatcher({
      implementations: [
        implement(LedgerService, { write: async function* noReceipts() {} }, { write: open }),
      ],
      callers: { 'llm-gateway': { LedgerService: ['Write'] } },
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
  };
  start();
  return {
    pending,
    openedCount: () => opened,
    start,
    stop: async () => {
      await dispatcher?.drain(1_000);
      dispatcher = undefined;
    },
    client: openLedger(
      createInProcessTransport({ caller: 'llm-gateway', dispatcher: () => dispatcher }),
    ),
  };
};

const settleMicrotasks = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const outcomeOf = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => 'durable',
    ({ reason }: { reason: string }) => reason,
  );

describe('the ledger of the same process', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is opened once, and called at once from then on', async () => {
    const ledger = openLocalLedger();
    const first = ledger.client.release('ws_a', 'pf_1');
    await settleMicrotasks();
    const second = ledger.client.release('ws_a', 'pf_2');
    expect(ledger.pending).toHaveLength(2);
    for (const { resolve } of ledger.pending) resolve();
    expect(await Promise.all([first, second].map(outcomeOf))).toEqual(['durable', 'durable']);
    expect(ledger.openedCount()).toBe(1);
  });

  it('is unavailable while it is stopped, and opened again after its start', async () => {
    const ledger = openLocalLedger();
    const before = ledger.client.release('ws_a', 'pf_1');
    await settleMicrotasks();
    ledger.pending[0]!.resolve();
    expect(await outcomeOf(before)).toBe('durable');
    await ledger.stop();
    expect(await outcomeOf(ledger.client.release('ws_a', 'pf_2'))).toBe('LEDGER_UNAVAILABLE');
    ledger.start();
    const after = ledger.client.release('ws_a', 'pf_2');
    await settleMicrotasks();
    ledger.pending[1]!.resolve();
    expect(await outcomeOf(after)).toBe('durable');
    expect(ledger.openedCount()).toBe(2);
  });

  it('fails the writes without an outcome after five seconds, and no others', async () => {
    const ledger = openLocalLedger();
    const early = outcomeOf(ledger.client.release('ws_a', 'pf_1'));
    await settleMicrotasks();
    jest.advanceTimersByTime(3_000);
    const late = outcomeOf(ledger.client.release('ws_a', 'pf_2'));
    const last = outcomeOf(ledger.client.release('ws_a', 'pf_3'));
    jest.advanceTimersByTime(2_000);
    expect(await early).toBe('LEDGER_UNAVAILABLE');
    ledger.pending[0]!.resolve();
    ledger.pending[1]!.resolve();
    expect(await late).toBe('durable');
    jest.advanceTimersByTime(3_000);
    expect(await last).toBe('LEDGER_UNAVAILABLE');
  });

  it('waits for pending writes before it is closed', async () => {
    const ledger = openLocalLedger();
    const write = outcomeOf(ledger.client.release('ws_a', 'pf_1'));
    await settleMicrotasks();
    let isClosed = false;
    const close = async (): Promise<void> => {
      await ledger.client.close();
      isClosed = true;
    };
    const closing = close();
    await settleMicrotasks();
    expect(isClosed).toBe(false);
    ledger.pending[0]!.resolve();
    await closing;
    expect(await write).toBe('durable');
  });
});
