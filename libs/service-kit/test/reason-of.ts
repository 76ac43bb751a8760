import { isServiceError } from '@witan/contracts';

export const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `no ServiceError: ${String(error)}`;
  }
  return 'no failure';
};
