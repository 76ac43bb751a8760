import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './request-log.ts';

/** One call, as a script sees it. */
export type Exchange = {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  /** Aborts when the connection is gone, whoever closed it. */
  readonly gone: AbortSignal;
  /** Destroys the connection, as a provider that dies would; not recorded as the client's abort. */
  readonly cut: () => void;
};

/** What the provider does with one call. A test may write its own; it must end or cut. */
export type Script = (exchange: Exchange) => Promise<void>;

/** Waits for `promise`; false when the connection went away first. */
export async function outlasts(promise: Promise<unknown>, gone: AbortSignal): Promise<boolean> {
  if (gone.aborted) return false;
  const listening = new AbortController();
  const left = new Promise<false>((resolve) => {
    gone.addEventListener('abort', () => resolve(false), { once: true, signal: listening.signal });
  });
  try {
    return await Promise.race([promise.then(() => true as const), left]);
  } finally {
    listening.abort();
  }
}

/** Writes `bytes` and waits until they left the process; false when the connection is gone. */
export async function writeBytes(
  { response, gone }: Exchange,
  bytes: string | Uint8Array,
): Promise<boolean> {
  if (gone.aborted) return false;
  const written = new Promise<void>((resolve) => {
    response.write(bytes, () => resolve());
  });
  return outlasts(written, gone);
}

/** Writes `bytes` one at a time, each in its own packet as far as the system allows. */
export async function writeByteByByte(
  exchange: Exchange,
  bytes: string | Uint8Array,
): Promise<boolean> {
  const each = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for (const byte of each) {
    if (!(await writeBytes(exchange, Uint8Array.of(byte)))) return false;
    // Written in one turn of the event loop, the bytes would travel together.
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return true;
}

/** True for bytes; `instanceof` would miss those that come from another realm, as Jest has them. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}
