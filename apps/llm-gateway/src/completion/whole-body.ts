import { ServiceError } from '@witan/contracts';
import { ENDPOINTS, parseAnswer } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { createRestoreContext, restoreAnswer } from '../masking/restore.ts';
import type { Provider } from '../provider/provider.ts';
import type { AnswerForm } from './attempt.ts';

/** A whole response body; `value` is undefined if it is no JSON object. */
export type ParsedBody = { bytes: Buffer; value: JsonObject | undefined };

export const contradictoryAnswer = (contradiction: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    `The model provider contradicted its own answer: ${contradiction}.`,
  );

const parseBody = (text: string): JsonObject | undefined =>
  parseAnswer(text, (contradiction) => {
    throw contradictoryAnswer(contradiction);
  });

/** Throws PROVIDER_INVALID_ANSWER for a body with an object that has a member twice. */
export const restoreBody = (
  { restorer, dialect, wantsJson }: Pick<AnswerForm, 'restorer' | 'dialect' | 'wantsJson'>,
  bytes: Buffer,
): ParsedBody => {
  const text = bytes.toString();
  const value = parseBody(text);
  if (!restorer || !value) return { bytes, value };
  const restoreContext = createRestoreContext(restorer, wantsJson);
  const restored = restoreAnswer(text, value, { dialect: ENDPOINTS[dialect], ...restoreContext });
  if (restored === text) return { bytes, value };
  return { bytes: Buffer.from(restored), value: parseBody(restored) };
};

/** Removes the operator's account from an error of a provider. */
export const redactBody = (
  { redactError }: Pick<Provider, 'redactError'>,
  body: Buffer,
): Buffer => {
  if (!redactError) return body;
  const text = body.toString();
  const redacted = redactError(text);
  return redacted === text ? body : Buffer.from(redacted);
};
