import { ServiceError } from '@witan/contracts';
import type { InvalidField } from './encode-native-error.ts';

export class ValidationError extends ServiceError {
  readonly invalidFields: readonly InvalidField[];

  constructor(invalidFields: readonly InvalidField[]) {
    const first = invalidFields[0]!;
    const more = invalidFields.length > 1 ? ` (and ${invalidFields.length - 1} more)` : '';
    super('INVALID_REQUEST', `${first.path || 'The request'} ${first.message}${more}.`, {
      fields: first.path ? { param: first.path } : {},
    });
    this.invalidFields = invalidFields;
  }
}
