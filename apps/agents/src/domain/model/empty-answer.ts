import { ServiceError } from '@witan/contracts';

/**
 * Returns the error for a model whose retry was unusable, too; `proof` is the certificate of the
 * retry.
 */
export const emptyAnswer = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no answer that can be shown; try again.',
    { fields: { proof, empty: 'true' } },
  );
