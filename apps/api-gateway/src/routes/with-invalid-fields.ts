import { isServiceError } from '@witan/contracts';
import { ValidationError } from '../errors/validation-error.ts';

/**
 * What only the service can judge of a body is told as what its schema says: with every fault of
 * it. Rejects as `asked` does.
 */
export const withInvalidFields = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked;
  } catch (error) {
    const invalidFields = isServiceError(error) && error.fields['faults'];
    throw invalidFields ? new ValidationError(JSON.parse(invalidFields) as ValidationError['invalidFields']) : error;
  }
};
