import { ValidationError } from '../http/encode-native-error.ts';

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Returns the milliseconds of an RFC 3339 time. Throws a ValidationError that names `path`. */
export const readTime = (path: string, text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  const day = RFC_3339.exec(text)?.[1];
  const time = day && isDay(day) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ValidationError([{ path, message: 'must be a time such as 2030-01-31T12:00:00Z' }]);
};

/** `Date.parse` takes 31 February for 3 March. */
const isDay = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};
