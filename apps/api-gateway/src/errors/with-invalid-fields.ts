import { isServiceError } from '@witan/contracts';
import { ValidationError } from '../http/validation-error.ts';

/**
 * Awaits a request to a service. If the service reports invalid fields, rejects with a
 * ValidationError, so that the client gets them in the same format as the errors of a schema.
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
