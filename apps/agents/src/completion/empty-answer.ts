import { ServiceError } from '@witan/contracts';

/**
 * Returns the error for a call whose retry gave no usable answer either; `proof` is the id of the
 * retry's certificate.
 */
export const emptyAnswer = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no answer that can be shown; try again.',
    { fields: { proof, empty: 'true' } },
  );
