import { ServiceError } from '@witan/contracts';
import type { LedgerClient, LocalLedger } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import { withoutTrace } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';
import { createLedgerWriter } from './ledger-writer.ts';

/** `close` waits for pending writes. */
type OpenedLedger = LedgerClient & { close: () => Promise<void> };

/** Opens the ledger of the same process, or a stream of writes to that of another process. */
export const openLedger = (transport: Transport): OpenedLedger => {
  const { direct } = transport;
  if (!direct) return createLedgerWriter(transport);
  return openLocal(async () => {
    const open = direct(LedgerService.method.write)!;
    return (await withoutTrace(() => open({}, {}))) as LocalLedger;
  });
};

/**
 * Milliseconds after which a write without an outcome fails; writes are idempotent, so callers can
 * retry.
 */
const WRITE_TIMEOUT_MS = 5_000;

/** Opens the ledger when it is first used, and again after it was stopped. */
const openLocal = (open: () => Promise<LocalLedger>): OpenedLedger => {
  const pending = createPendingWrites();
  let ledger: LocalLedger | undefined;
  const reopen = async (): Promise<LocalLedger> => {
    try {
      ledger = await open();
      return ledger;
    } catch (error) {
      throw unavailable(error);
    }
  };
  const write = <T>(run: (ledger: LocalLedger) => Promise<T>): Promise<T> =>
    pending.add(ledger?.stopping.aborted === false ? run(ledger) : reopen().then(run));
  return {
    reserve: (...args) => write((current) => current.reserve(...args)),
    append: (...args) => write((current) => current.append(...args)),
    release: (...args) => write((current) => current.release(...args)),
    close: pending.close,
  };
};

type PendingWrite = {
  startedAt: number;
  promise: Promise<unknown>;
  reject: (error: Error) => void;
};
type PendingWrites = {
  /** Settles as the write does, or rejects after `WRITE_TIMEOUT_MS`. */
  add: <T>(write: Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/** One timer watches the oldest write, because a timer for each would cost more than the write. */
const createPendingWrites = (): PendingWrites => {
  const pending = new Set<PendingWrite>();
  let timer: NodeJS.Timeout | undefined;
  const watch = (afterMs: number): void => {
    timer ??= setTimeout(expire, afterMs).unref();
  };
  const expire = (): void => {
    timer = undefined;
    const expired = performance.now() - WRITE_TIMEOUT_MS;
    for (const write of pending) {
      if (write.startedAt > expired) return watch(Math.ceil(write.startedAt - expired));
      pending.delete(write);
      write.reject(unavailable());
    }
  };
  return {
    add: <T>(write: Promise<T>): Promise<T> => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const entry = { startedAt: performance.now(), promise, reject };
      pending.add(entry);
      watch(WRITE_TIMEOUT_MS);
      const remove = (): void => void pending.delete(entry);
      write.then(resolve, reject);
      write.then(remove, remove);
      return promise;
    },
    close: async () => {
      await Promise.allSettled([...pending].map(({ promise }) => promise));
    },
  };
};

const unavailable = (cause?: unknown): ServiceError =>
  new ServiceError('LEDGER_UNAVAILABLE', 'The ledger is not reachable; try again in a moment.', {
    cause,
  });
