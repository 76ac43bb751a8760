import { ServiceError } from '@witan/contracts';
import type { Fault } from './encode-native-error.ts';

/** A request that does not fit its schema; `faults` lists every fault. */
export class ValidationError extends ServiceError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const first = faults[0]!;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    super('INVALID_REQUEST', `${first.path || 'The request'} ${first.message}${more}.`, {
      fields: first.path ? { param: first.path } : {},
    });
    this.faults = faults;
  }
}
