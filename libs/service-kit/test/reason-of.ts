import { isServiceError } from '@witan/contracts';

/** The reason that a call failed with, or a sentence that says what happened instead. */
export const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `no ServiceError: ${String(error)}`;
  }
  return 'no failure';
};
