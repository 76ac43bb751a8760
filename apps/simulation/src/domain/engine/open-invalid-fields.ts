import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export type InvalidFields = {
  /** `what` completes a sentence that begins with the member: "must be a number". */
  add: (member: string, what: string) => void;
  check: () => void;
};

type InvalidField = { path: string; message: string };

/** Errors are sent between services in a trailer, whose size is limited. */
const LISTED_MAX = 50;

/**
 * Collects invalid members of `object`. The error has the first one as its `param` and the JSON
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
