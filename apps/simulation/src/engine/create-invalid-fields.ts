import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export type InvalidFields = {
  /** `problem` follows the name of the member in the message, as in "must be a number". */
  add: (member: string, problem: string) => void;
  check: () => void;
};

type InvalidField = { path: string; message: string };

/**
 * Maximum number of invalid members listed in an error. Errors are sent between services in a
 * trailer, whose size is limited.
 */
const LISTED_MAX = 50;

/**
 * Creates a collector of invalid members of `object`. Its `check` throws INVALID_REQUEST if there
 * are any, with the first one as `param` and the JSON text of `[{path, message}]`, at most 50 of
 * them, in the field `faults`.
 */
export const createInvalidFields = (object: 'companyBase' | 'parameters'): InvalidFields => {
  const invalid: InvalidField[] = [];
  return {
    add: (member, problem) => void invalid.push({ path: `${object}.${member}`, message: problem }),
    check: () => {
      if (invalid.length > 0) throw toInvalidRequest(invalid);
    },
  };
};

export const invalidFieldError = (path: string, problem: string): ServiceError =>
  toInvalidRequest([{ path, message: problem }]);

const toInvalidRequest = (invalid: readonly InvalidField[]): ServiceError => {
  const { path, message } = invalid[0]!;
  const more = invalid.length > 1 ? ` (and ${invalid.length - 1} more)` : '';
  return invalidRequest(`${path} ${message}${more}.`, {
    param: path,
    faults: JSON.stringify(invalid.slice(0, LISTED_MAX)),
  });
};
