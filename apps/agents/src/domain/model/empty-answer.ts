import { ServiceError } from '@witan/contracts';

/** Error of a model whose retry was unusable, too; `proof` is the retry's certificate. */
export const emptyAnswer = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no answer that can be shown; try again.',
    { fields: { proof, empty: 'true' } },
  );
