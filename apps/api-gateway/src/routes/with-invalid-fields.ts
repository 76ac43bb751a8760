import { isServiceError } from '@witan/contracts';
import { ValidationError } from '../errors/validation-error.ts';

/**
 * Rejects with a ValidationError if the service reported invalid fields, so that its errors have
 * the same format as those of a schema. Otherwise has the outcome of `request`.
 */
export const withInvalidFields = async <T>(request: Promise<T>): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    const invalidFields = isServiceError(error) && error.fields['faults'];
    throw invalidFields
      ? new ValidationError(JSON.parse(invalidFields) as ValidationError['invalidFields'])
      : error;
  }
};
