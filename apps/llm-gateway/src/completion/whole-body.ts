import { ServiceError } from '@witan/contracts';
import { asObject, ENDPOINTS } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { ProofError, parseUniqueJson } from '@witan/proof';
import { createRestoreContext, restoreAnswer } from '../masking/restore.ts';
import type { Provider } from '../provider/provider.ts';
import type { AnswerForm } from './attempt.ts';

/** A whole response body; `value` is undefined if it is no JSON object. */
export type ParsedBody = { bytes: Buffer; value: JsonObject | undefined };

/**
 * Returns the object in a text of a provider; undefined if there is none. `refuse` is called for an
 * object that has a member twice, because verifiers refuse such an answer.
 */
export const parseAnswer = (
  text: string,
  refuse: (contradiction: string) => void,
): JsonObject | undefined => {
  try {
    return asObject(parseUniqueJson(text));
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    if (error.reason === 'duplicate_key') refuse(error.detail);
    return undefined;
  }
};

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
