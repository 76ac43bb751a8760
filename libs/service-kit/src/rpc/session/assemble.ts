import { ServiceError } from '@witan/contracts';
import type { CallData } from '@witan/contracts';
import { MESSAGE_BYTES_MAX } from '../grpc-method.ts';

/** Keeps the fragments of the message that is under way. */
export type Assembly = { fragments?: { parts: Uint8Array[]; bytes: number } | undefined };

/**
 * Answers the message when its last fragment came, or undefined while more follow. Throws
 * REQUEST_TOO_LARGE at the fragment that goes above the limit of a message.
 */
export const assemble = (assembly: Assembly, data: CallData): Uint8Array | undefined => {
  const { fragments } = assembly;
  if (!fragments && !data.more) return data.message;
  const parts = fragments?.parts ?? [];
  const bytes = (fragments?.bytes ?? 0) + data.message.length;
  assertMessageFits(bytes);
  parts.push(data.message);
  assembly.fragments = data.more ? { parts, bytes } : undefined;
  return data.more ? undefined : Buffer.concat(parts, bytes);
};

/** Throws REQUEST_TOO_LARGE for a message above the kit's limit, as gRPC does. */
export const assertMessageFits = (bytes: number): void => {
  if (bytes <= MESSAGE_BYTES_MAX) return;
  const message = `A message between services is larger than ${MESSAGE_BYTES_MAX} bytes.`;
  throw new ServiceError('REQUEST_TOO_LARGE', message);
};
