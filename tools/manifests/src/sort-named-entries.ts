import { isObject, toText } from './manifest.ts';
import type { Json } from './manifest.ts';

/**
 * Returns the value with keyed lists (`env`, `volumes`) sorted, because their order has no effect.
 */
export const sortNamedEntries = (value: Json): Json => {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, sortNamedEntries(one)]),
    );
  }
  if (!Array.isArray(value)) return value;
  const key = ['name', 'mountPath', 'topologyKey'].find((one) =>
    value.every((entry) => isObject(entry) && one in entry),
  );
  const entries = value.map(sortNamedEntries);
  if (key === undefined) return entries;
  const nameOf = (entry: Json): string => toText(isObject(entry) ? entry[key] : '');
  return entries.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};
