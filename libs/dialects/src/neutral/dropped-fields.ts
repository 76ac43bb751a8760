import type { JsonObject } from '../dialect.ts';
import { isAbsent } from '../json/expect-json.ts';

/** Gathers the names of fields that only tune the answer and that cannot be said (rule 2). */
export type DroppedFields = {
  /** Places in lists count as one: `messages[3].name` is named without the number. */
  add: (path: string) => void;
  /** Names every member of an object that nobody reads. */
  addUnknown: (object: JsonObject, known: readonly string[], path: string) => void;
  /** Sorted, each once. */
  names: () => string[];
};

/** No field dropped yet. */
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
