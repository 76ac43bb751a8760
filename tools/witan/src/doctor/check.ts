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

/** Removes user, password and query from URLs, which are separated by commas. */
export const withoutCredentials = (urls: string): string =>
  urls
    .split(',')
    .map((url) =>
      url
        .trim()
        .replace(/^(\w+:\/\/)?[^@/]*@/, '$1')
        .replace(/[?#].*$/, ''),
    )
    .join(', ');
