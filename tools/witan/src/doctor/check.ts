export type CheckState = 'ok' | 'warn' | 'fail' | 'skipped';

/** Result of one check. `advice` says what to do; it is present unless the check passed. */
export type Check = { name: string; state: CheckState; message: string; advice?: string };

type Finding = { message: string; advice: string };

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });

export const warn = (name: string, { message, advice }: Finding): Check => ({
  name,
  state: 'warn',
  message,
  advice,
});

export const fail = (name: string, { message, advice }: Finding): Check => ({
  name,
  state: 'fail',
  message,
  advice,
});

export const skipped = (name: string, reason: string): Check => ({
  name,
  state: 'skipped',
  message: reason,
});

/** Returns the message of an error. An AggregateError of a socket has one error per address. */
export const describeError = (error: unknown): string => {
  if (error instanceof AggregateError) {
    return [...new Set(error.errors.map(describeError))].join('; ');
  }
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${describeError(error.cause)})` : '';
  return `${error.message || error.name}${cause}`;
};

const INVALID_URL = 'an invalid URL';

/** An unescaped `/`, `?` or `#` in a password ends the host; the rest of the password follows. */
const isReadable = (text: string): boolean => {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { pathname, search, hash } = new URL(text);
  return ![pathname, search, hash].some((part) => part.includes('@'));
};

/** Returns a URL without user, password, query and fragment; `an invalid URL` if it is not one. */
export const withoutCredentials = (text: string): string => {
  if (!isReadable(text)) return INVALID_URL;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/$/, '');
};

/** Does the same for URLs that are separated by commas. A comma within a URL separates nothing. */
export const listWithoutCredentials = (urls: string): string =>
  urls
    .trim()
    .split(/\s*,\s*(?=[a-z][a-z\d+.-]*:\/\/)/i)
    .map(withoutCredentials)
    .join(', ');

/** Throws if a text of `withoutCredentials` says that the URL, or one of the list, is invalid. */
export const assertValidUrl = (place: string): void => {
  if (place.includes(INVALID_URL)) throw new Error('the URL is invalid');
};
