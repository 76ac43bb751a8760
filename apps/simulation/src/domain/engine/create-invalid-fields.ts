import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export type InvalidFields = {
  /** `problem` completes a sentence that begins with the member: "must be a number". */
  add: (member: string, problem: string) => void;
  check: () => void;
};

type InvalidField = { path: string; message: string };

/**
 * Limits the listed members, because errors are sent between services in a trailer, whose size is
 * limited.
 */
const LISTED_MAX = 50;

/**
 * Collects invalid members of `object`. The error has the first one as its `param` and the JSON
 * text of `[{path, message}]` in its field `faults`.
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
