import type { JsonObject } from '../dialect.ts';
import { isAbsent } from '../json/expect-json.ts';

/** Collects the names of optional fields that the other dialect cannot express. */
export type DroppedFields = {
  /** Indexes are left out: `messages[3].name` is named without the number. */
  add: (path: string) => void;
  /** Names every unknown member of an object. */
  addUnknown: (object: JsonObject, known: readonly string[], path: string) => void;
  /** Sorted and unique. */
  names: () => string[];
};

export const createDroppedFields = (): DroppedFields => {
  const names = new Set<string>();
  const add = (path: string): void => void names.add(path.replaceAll(/\[\d+\]/g, '[]'));
  return {
    add,
    addUnknown: (object, known, path) => {
      for (const [key, value] of Object.entries(object)) {
        if (!isAbsent(value) && !known.includes(key)) add(path === '' ? key : `${path}.${key}`);
      }
    },
    names: () => [...names].toSorted(),
  };
};
