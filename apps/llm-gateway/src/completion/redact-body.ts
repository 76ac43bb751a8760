import type { Provider } from '../provider/provider.ts';

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
