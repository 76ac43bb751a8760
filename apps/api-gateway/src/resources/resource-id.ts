import { notFound } from '@witan/contracts';

/**
 * Returns functions for the ids with a prefix, such as `agt_`. `read` throws NOT_FOUND with the
 * given message for a text that cannot be such an id, naming the body's member `param` if given.
 */
export const idsWith = (prefix: string, message: string) => {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`);
  const is = (text: string): boolean => pattern.test(text);
  const read = (text: string | undefined, param?: string): string => {
    if (text !== undefined && is(text)) return text;
    throw notFound(message, param ? { param } : undefined);
  };
  return { is, read };
};
