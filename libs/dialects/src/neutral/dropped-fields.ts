import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { isAbsent } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

export type DroppedFields = {
  /**
   * Adds the path of a dropped field, without its list indexes: `messages[3].name` is added as
   * `messages[].name`.
   */
  add: (path: string) => void;
  addUnknown: (object: JsonObject, known: readonly string[], path: string) => void;
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

/**
 * Returns the error for a field that the other dialect cannot express. Such a request is refused
 * before anything is sent, because an answer that ignores the field would be wrong. `param` is the
 * path of the field in the client's body, for example `messages[0].content[1].type`.
 */
export const unsupportedParameter = (param: string, reason: string): ServiceError =>
  invalidRequest(
    `${param}: ${reason} Name a model of the dialect that you send, or leave it out.`,
    {
      param,
      code: 'unsupported_parameter',
    },
  );
