import { ServiceError } from '@witan/contracts';
import type { CallData } from '@witan/contracts';
import { MESSAGE_BYTES_MAX } from '../rpc/grpc-method.ts';

export type Assembly = { fragments?: { parts: Uint8Array[]; bytes: number } | undefined };

/**
 * Adds a fragment and returns the message if it was the last one, otherwise undefined. Throws
 * REQUEST_TOO_LARGE when the fragments exceed the size limit.
 */
export const assembleMessage = (assembly: Assembly, data: CallData): Uint8Array | undefined => {
  const { fragments } = assembly;
  if (!fragments && !data.more) return data.message;
  const parts = fragments?.parts ?? [];
  const bytes = (fragments?.bytes ?? 0) + data.message.length;
  assertMessageFits(bytes);
  parts.push(data.message);
  assembly.fragments = data.more ? { parts, bytes } : undefined;
  return data.more ? undefined : Buffer.concat(parts, bytes);
};

export const assertMessageFits = (bytes: number): void => {
  if (bytes <= MESSAGE_BYTES_MAX) return;
  const message = `A message between services is larger than ${MESSAGE_BYTES_MAX} bytes.`;
  throw new ServiceError('REQUEST_TOO_LARGE', message);
};
