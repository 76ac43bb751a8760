import type { IncomingHttpHeaders } from 'node:http';

/** What the scripted provider saw of one request. */
export type RecordedRequest = {
  /** Counts from 1, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes; empty until the body has arrived. */
  readonly body: Buffer;
  /** The body as JSON; undefined when it is none. */
  readonly parsed: unknown;
  /** The client went away before the answer was complete. */
  readonly aborted: boolean;
  /** When the exchange ended, in milliseconds since the epoch. */
  readonly closedAt?: number;
};

/** A `RecordedRequest` while it is being written. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] } & {
  isComplete: boolean;
};

type Waiter = { readonly check: () => void; readonly giveUp: () => void };

/** The requests of one provider, and promises that follow them. */
export type RequestLog = {
  readonly requests: readonly OpenRecord[];
  readonly add: (start: Pick<OpenRecord, 'method' | 'path' | 'headers'>) => OpenRecord;
  /** To be called after every change of a record. */
  readonly changed: () => void;
  readonly whenRequest: (number: number) => Promise<RecordedRequest>;
  readonly whenAborted: (number: number) => Promise<RecordedRequest>;
  /** Rejects what is still waited for. */
  readonly close: () => void;
};

/** An empty log. */
export function createRequestLog(): RequestLog {
  const requests: OpenRecord[] = [];
  const waiters = new Set<Waiter>();
  let isClosed = false;

  /** Resolves with what `read` finds, now or after a change; rejects when it throws. */
  const until = async (
    what: string,
    read: () => OpenRecord | undefined,
  ): Promise<RecordedRequest> => {
    const found = read();
    if (found !== undefined) return found;
    const missed = new Error(`The scripted provider was closed; ${what} never came.`);
    if (isClosed) throw missed;
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        waiters.delete(waiter);
        act();
      };
      const check = (): void => {
        try {
          const record = read();
          if (record !== undefined) settle(() => resolve(record));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const waiter: Waiter = { check, giveUp: () => settle(() => reject(missed)) };
      waiters.add(waiter);
    });
  };

  return {
    requests,
    add: (start) => {
      const unread = { body: Buffer.alloc(0), parsed: undefined, aborted: false };
      const record = { number: requests.length + 1, ...start, ...unread, isComplete: false };
      requests.push(record);
      return record;
    },
    changed: () => {
      for (const { check } of waiters) check();
    },
    whenRequest: (number) => until(`request ${number}`, () => arrived(requests[number - 1])),
    whenAborted: (number) =>
      until(`the abort of request ${number}`, () => abortedOrLost(requests[number - 1])),
    close: () => {
      isClosed = true;
      for (const { giveUp } of waiters) giveUp();
    },
  };
}

function arrived(record: OpenRecord | undefined): OpenRecord | undefined {
  return record?.isComplete === true ? record : undefined;
}

function abortedOrLost(record: OpenRecord | undefined): OpenRecord | undefined {
  if (record?.closedAt === undefined) return undefined;
  if (record.aborted) return record;
  throw new Error(`Request ${record.number} ended without the client going away.`);
}
