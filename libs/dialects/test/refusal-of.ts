import { isServiceError } from '@witan/contracts';

export const refusalOf = (run: () => unknown): { param?: string; code?: string } => {
  try {
    run();
  } catch (error) {
    if (isServiceError(error) && error.reason === 'INVALID_REQUEST') return error.fields;
    throw error;
  }
  throw new Error('nothing was refused');
};
