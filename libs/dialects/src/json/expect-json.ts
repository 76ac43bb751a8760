import { invalidRequest } from '@witan/contracts';
import type { JsonObject } from '../dialect.ts';
import { asObject } from './lenient.ts';

/** Null is absent: clients write it for options that were not given. */
export const isAbsent = (value: unknown): value is null | undefined =>
  value === undefined || value === null;

/** The text at `path`, empty when absent. Throws INVALID_REQUEST naming the path. */
export const expectTextIfAny = (value: unknown, path: string): string =>
  isAbsent(value) ? '' : expectText(value, path);

/** The text that must stand at `path`. Throws INVALID_REQUEST naming the path. */
export const expectText = (value: unknown, path: string): string => {
  if (typeof value === 'string') return value;
  throw invalidRequest(`${path}: must be a text.`, { param: path });
};

/** The text that must stand at `path` and say something. Throws INVALID_REQUEST naming the path. */
export const expectNonEmpty = (value: unknown, path: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidRequest(`${path}: must be a text that is not empty.`, { param: path });
};

/** The object that must stand at `path`. Throws INVALID_REQUEST naming the path. */
export const expectObject = (value: unknown, path: string): JsonObject => {
  const object = asObject(value);
  if (object) return object;
  throw invalidRequest(`${path}: must be an object.`, { param: path });
};

/** The list that must stand at `path`. Throws INVALID_REQUEST naming the path. */
export const expectList = (value: unknown, path: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw invalidRequest(`${path}: must be a list.`, { param: path });
};

/**
 * A number within bounds, or undefined when absent; `whole`: an integer. Throws INVALID_REQUEST
 * naming the path.
 */
export const expectNumber = (
  value: unknown,
  path: string,
  { min = -Number.MAX_VALUE, max = Number.MAX_VALUE, whole = false } = {},
): number | undefined => {
  if (isAbsent(value)) return undefined;
  const isFit = typeof value === 'number' && value >= min && value <= max;
  if (isFit && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  const bounds = max === Number.MAX_VALUE ? '' : ` from ${min} to ${max}`;
  throw invalidRequest(`${path}: must be ${kind}${bounds}.`, { param: path });
};

/** A count at `path`, or undefined when absent. Throws INVALID_REQUEST naming the path. */
export const expectCount = (value: unknown, path: string): number | undefined =>
  expectNumber(value, path, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true });

/** A truth value, or undefined when absent. Throws INVALID_REQUEST naming the path. */
export const expectFlag = (value: unknown, path: string): boolean | undefined => {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalidRequest(`${path}: must be true or false.`, { param: path });
};
