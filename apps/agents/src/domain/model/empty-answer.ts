import { ServiceError } from '@witan/contracts';

/** Of a model that was asked twice and gave nothing to show; names the second certificate. */
export const emptyAnswer = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no answer that can be shown; try again.',
    { fields: { proof, empty: 'true' } },
  );
