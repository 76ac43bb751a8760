import { ValidationError } from '../http/encode-native-error.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Returns the milliseconds of an RFC 3339 time. Throws a ValidationError that names `path`. */
export const readTime = (path: string, text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ValidationError([{ path, message: 'must be a time such as 2030-01-31T12:00:00Z' }]);
};
