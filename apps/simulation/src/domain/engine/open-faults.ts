import { invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

/** What is wrong with an object that a caller gave. */
export type Faults = {
  /** `what` goes on behind the member's name: "must be a number". */
  add: (member: string, what: string) => void;
  /** Throws INVALID_REQUEST if anything was added, with all of it. */
  check: () => void;
};

type Fault = { path: string; message: string };

/** They cross services in a trailer, which has no room for thousands. */
const TOLD_MAX = 50;

/**
 * Collects what is wrong with members of `object`. The failure has the first as its `param`, and in
 * `faults` the JSON text of `[{path, message}]`.
 */
export const openFaults = (object: 'companyBase' | 'parameters'): Faults => {
  const faults: Fault[] = [];
  return {
    add: (member, what) => void faults.push({ path: `${object}.${member}`, message: what }),
    check: () => {
      if (faults.length > 0) throw toRefusal(faults);
    },
  };
};

/** The same of one member. */
export const refuse = (path: string, what: string): ServiceError =>
  toRefusal([{ path, message: what }]);

const toRefusal = (faults: readonly Fault[]): ServiceError => {
  const { path, message } = faults[0]!;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return invalidRequest(`${path} ${message}${more}.`, {
    param: path,
    faults: JSON.stringify(faults.slice(0, TOLD_MAX)),
  });
};
