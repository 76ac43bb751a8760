import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './request-log.ts';

export type Exchange = {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  /** Aborts when the connection closes, whichever side closes it. */
  readonly closeSignal: AbortSignal;
  /** Destroys the connection without recording that the client aborted. */
  readonly cut: () => void;
};

/**
 * Serves one request. Must end the response or destroy the connection with `cut`, unless the client
 * disconnects before.
 */
export type Script = (exchange: Exchange) => Promise<void>;

/** Resolves to true when `promise` resolves, or to false if the connection closes first. */
export async function resolvesBefore(
  promise: Promise<unknown>,
  closeSignal: AbortSignal,
): Promise<boolean> {
  if (closeSignal.aborted) return false;
  const { promise: disconnected, resolve } = Promise.withResolvers<false>();
  const onClose = (): void => resolve(false);
  closeSignal.addEventListener('abort', onClose, { once: true });
  try {
    return await Promise.race([promise.then(() => true as const), disconnected]);
  } finally {
    closeSignal.removeEventListener('abort', onClose);
  }
}

/**
 * Resolves to true when `bytes` are passed to the operating system, or to false if the connection
 * closes first.
 */
export async function writeBytes(
  { response, closeSignal }: Exchange,
  bytes: string | Uint8Array,
): Promise<boolean> {
  if (closeSignal.aborted) return false;
  const written = new Promise<void>((resolve) => {
    response.write(bytes, () => resolve());
  });
  return resolvesBefore(written, closeSignal);
}

export async function writeByteByByte(
  exchange: Exchange,
  bytes: string | Uint8Array,
): Promise<boolean> {
  const each = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for (const byte of each) {
    if (!(await writeBytes(exchange, Uint8Array.of(byte)))) return false;
    // Sent in separate iterations of the event loop, because bytes written in one iteration could
    // share a packet.
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return true;
}

/**
 * Returns true for a byte array of any realm. `instanceof` fails for arrays of another realm, such
 * as Jest's test environment.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}
