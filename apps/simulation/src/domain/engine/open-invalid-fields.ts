import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

/** Collects invalid fields of an object that a caller sent. */
export type InvalidFields = {
  /** `what` completes a sentence that begins with the member: "must be a number". */
  add: (member: string, what: string) => void;
  /** Throws INVALID_REQUEST that lists all added fields, if there are any. */
  check: () => void;
};

type InvalidField = { path: string; message: string };

/** Errors cross services in a trailer, which has limited room. */
const LISTED_MAX = 50;

/**
 * Returns a collector for members of `object`. The error has the first as its `param` and the JSON
 * text of `[{path, message}]` in its field `faults`.
 */
export const openInvalidFields = (object: 'companyBase' | 'parameters'): InvalidFields => {
  const invalid: InvalidField[] = [];
  return {
    add: (member, what) => void invalid.push({ path: `${object}.${member}`, message: what }),
    check: () => {
      if (invalid.length > 0) throw toRefusal(invalid);
    },
  };
};

/** Returns the error of one invalid field. */
export const refuse = (path: string, what: string): ServiceError =>
  toRefusal([{ path, message: what }]);

const toRefusal = (invalid: readonly InvalidField[]): ServiceError => {
  const { path, message } = invalid[0]!;
  const more = invalid.length > 1 ? ` (and ${invalid.length - 1} more)` : '';
  return invalidRequest(`${path} ${message}${more}.`, {
    param: path,
    faults: JSON.stringify(invalid.slice(0, LISTED_MAX)),
  });
};
