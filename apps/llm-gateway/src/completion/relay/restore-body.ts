import { DIALECTS } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { restoreAnswer } from '../../masking/restore-answer.ts';
import { createRestoreContext } from '../../masking/restore-text.ts';
import type { Provider } from '../../provider/provider.ts';
import { parseBody } from '../../provider/read-body.ts';
import type { AnswerForm } from '../attempt.ts';

/** A whole response body; `value` is undefined if it is no JSON object. */
export type ParsedBody = { bytes: Buffer; value: JsonObject | undefined };

export const restoreBody = (
  { restorer, dialect, wantsJson }: Pick<AnswerForm, 'restorer' | 'dialect' | 'wantsJson'>,
  bytes: Buffer,
): ParsedBody => {
  const value = parseBody(bytes);
  if (!restorer || !value) return { bytes, value };
  const restoreContext = createRestoreContext(restorer, wantsJson);
  const text = bytes.toString();
  const restored = restoreAnswer(text, value, { dialect: DIALECTS[dialect], ...restoreContext });
  if (restored === text) return { bytes, value };
  const restoredBytes = Buffer.from(restored);
  return { bytes: restoredBytes, value: parseBody(restoredBytes) };
};

export const redactBody = (
  { redactError }: Pick<Provider, 'redactError'>,
  body: Buffer,
): Buffer => {
  if (!redactError) return body;
  const text = body.toString();
  const redacted = redactError(text);
  return redacted === text ? body : Buffer.from(redacted);
};
