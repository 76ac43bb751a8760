import { invalidRequest } from '@witan/contracts';
import { ProofError, parseUniqueJson } from '@witan/proof';

export type JsonObject = Record<string, unknown>;

/** Keys and indexes from the root of a JSON value to one of its leaves. */
export type LeafPath = readonly (string | number)[];

export type ParseObject = (text: string) => JsonObject | undefined;

export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const parseObject = (text: string): JsonObject | undefined => {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** Maximum length of a text that is compared with what `JSON.stringify` writes, which may nest. */
const COMPARED_LENGTH_MAX = 8 * 1024;

/**
 * Parses a text of a provider like {@link parseObject}. `refuse` is called if an object in it has a
 * member twice, because verifiers refuse such an answer.
 */
export const parseAnswer = (
  text: string,
  refuse: (contradiction: string) => void,
): JsonObject | undefined => {
  const value = parseObject(text);
  // Usual frames are as `JSON.stringify` writes them, with each member once.
  if (value && text.length <= COMPARED_LENGTH_MAX && JSON.stringify(value) === text) return value;
  try {
    if (value) parseUniqueJson(text);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    refuse(error.detail);
  }
  return value;
};

/**
 * Returns whether an option is not set. Null counts as not set, because clients send null for such
 * options.
 */
export const isAbsent = (value: unknown): value is null | undefined =>
  value === undefined || value === null;

export const expectOptionalText = (value: unknown, path: string): string =>
  isAbsent(value) ? '' : expectText(value, path);

export const expectText = (value: unknown, path: string): string => {
  if (typeof value === 'string') return value;
  throw invalidRequest(`${path}: must be a text.`, { param: path });
};

export const expectNonEmpty = (value: unknown, path: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidRequest(`${path}: must be a text that is not empty.`, { param: path });
};

export const expectObject = (value: unknown, path: string): JsonObject => {
  const object = asObject(value);
  if (object) return object;
  throw invalidRequest(`${path}: must be an object.`, { param: path });
};

export const expectList = (value: unknown, path: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw invalidRequest(`${path}: must be a list.`, { param: path });
};

export const expectOptionalList = (value: unknown, path: string): readonly unknown[] =>
  isAbsent(value) ? [] : expectList(value, path);

export const expectOptionalObject = (value: unknown, path: string): JsonObject =>
  isAbsent(value) ? {} : expectObject(value, path);

/** Returns an object as JSON text; empty if it is absent. */
export const expectOptionalJson = (value: unknown, path: string): string =>
  isAbsent(value) ? '' : JSON.stringify(expectObject(value, path));

export const expectNumber = (
  value: unknown,
  path: string,
  { min = -Number.MAX_VALUE, max = Number.MAX_VALUE, isInteger = false } = {},
): number | undefined => {
  if (isAbsent(value)) return undefined;
  const isInBounds = typeof value === 'number' && value >= min && value <= max;
  if (isInBounds && (!isInteger || Number.isInteger(value))) return value;
  const kind = isInteger ? 'a whole number' : 'a number';
  const bounds = max === Number.MAX_VALUE ? '' : ` from ${min} to ${max}`;
  throw invalidRequest(`${path}: must be ${kind}${bounds}.`, { param: path });
};

export const expectCount = (value: unknown, path: string): number | undefined =>
  expectNumber(value, path, { min: 0, max: Number.MAX_SAFE_INTEGER, isInteger: true });

export const expectFlag = (value: unknown, path: string): boolean | undefined => {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalidRequest(`${path}: must be true or false.`, { param: path });
};

/**
 * Returns the JSON text of `cache_control`, a prompt-cache mark that clients of both dialects set;
 * empty if there is none. Throws INVALID_REQUEST for a mark that is not an object.
 */
export const decodeCacheControl = ({ cache_control: mark }: JsonObject, path: string): string =>
  expectOptionalJson(mark, `${path}.cache_control`);

/**
 * Returns objects in the order of their `index`, which becomes their position, because clients read
 * them by it; the same list if it is so already.
 */
export const orderByIndex = (items: readonly unknown[]): readonly unknown[] => {
  const indexOf = (item: unknown, position: number): number =>
    asNumber(asObject(item)?.index) ?? position;
  if (items.every((item, position) => indexOf(item, position) === position)) return items;
  return items
    .map((item, position) => ({ item, index: indexOf(item, position) }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }, index) => (asObject(item) ? { ...asObject(item), index } : item));
};

export const valueAt = (root: unknown, path: LeafPath, length: number): unknown => {
  let value = root;
  for (let index = 0; index < length; index += 1) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[path[index]!];
  }
  return value;
};
