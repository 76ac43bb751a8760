import { ServiceError } from '@witan/contracts';
import type { ProviderAnswer } from './ports.ts';

/** The whole body of an answer. Throws PROVIDER_INVALID_ANSWER when it is larger than allowed. */
export const readBody = async (answer: ProviderAnswer, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw answerTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The JSON object that a body holds, or undefined when it holds none. */
export const parseObject = (body: Buffer): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // An HTML page of a proxy, most often; the caller has one answer for all of them.
    return undefined;
  }
};

export const answerTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', `The provider sent more than ${maxBytes} bytes.`);
