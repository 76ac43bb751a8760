import type { IncomingHttpHeaders } from 'node:http';

export type RecordedRequest = {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly parsed: unknown;
  readonly aborted: boolean;
  readonly closedAt?: number;
};

export type MutableRecord = {
  -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field];
} & {
  isComplete: boolean;
};

type Waiter = { readonly check: () => void; readonly rejectWait: () => void };

export type RequestLog = {
  readonly requests: readonly MutableRecord[];
  readonly add: (start: Pick<MutableRecord, 'method' | 'path' | 'headers'>) => MutableRecord;
  /**
   * Checks whether pending waits can end. Must be called after every change of a recorded request.
   */
  readonly checkWaiters: () => void;
  readonly whenRequest: (number: number) => Promise<RecordedRequest>;
  readonly whenAborted: (number: number) => Promise<RecordedRequest>;
  readonly close: () => void;
};

export function createRequestLog(): RequestLog {
  const requests: MutableRecord[] = [];
  const waiters = new Set<Waiter>();
  let isClosed = false;

  /**
   * Resolves when `read` returns a recorded request. Calls `read` now and after every change.
   * Rejects if `read` throws or the log is closed before.
   */
  const waitFor = async (
    awaited: string,
    read: () => MutableRecord | undefined,
  ): Promise<RecordedRequest> => {
    const found = read();
    if (found !== undefined) return found;
    const closedError = new Error(
      `The scripted provider was closed; ${awaited} was never received.`,
    );
    if (isClosed) throw closedError;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        waiters.delete(waiter);
        finish();
      };
      const check = (): void => {
        try {
          const record = read();
          if (record !== undefined) settle(() => resolve(record));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const waiter: Waiter = { check, rejectWait: () => settle(() => reject(closedError)) };
      waiters.add(waiter);
    });
  };

  return {
    requests,
    add: (start) => {
      const initial = { body: Buffer.alloc(0), parsed: undefined, aborted: false };
      const record = { number: requests.length + 1, ...start, ...initial, isComplete: false };
      requests.push(record);
      return record;
    },
    checkWaiters: () => {
      for (const { check } of waiters) check();
    },
    whenRequest: (number) =>
      waitFor(`request ${number}`, () => toCompleteRequest(requests[number - 1])),
    whenAborted: (number) =>
      waitFor(`the abort of request ${number}`, () => toAbortedRequest(requests[number - 1])),
    close: () => {
      isClosed = true;
      for (const { rejectWait } of waiters) rejectWait();
    },
  };
}

function toCompleteRequest(record: MutableRecord | undefined): MutableRecord | undefined {
  return record?.isComplete === true ? record : undefined;
}

function toAbortedRequest(record: MutableRecord | undefined): MutableRecord | undefined {
  if (record?.closedAt === undefined) return undefined;
  if (record.aborted) return record;
  throw new Error(`Request ${record.number} ended without a client disconnect.`);
}
