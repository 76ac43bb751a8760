import { ServiceError } from '@witan/contracts';
import type { ProviderAnswer } from './provider.ts';

/** Reads a response body. Throws PROVIDER_INVALID_ANSWER if it exceeds `maxBytes`. */
export const readBody = async (
  answer: Pick<ProviderAnswer, 'body'>,
  maxBytes: number,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw answerTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const answerTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', `The provider sent more than ${maxBytes} bytes.`);
