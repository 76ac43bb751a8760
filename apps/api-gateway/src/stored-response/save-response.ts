import type { ResponseStore, StoredResponse } from './stored-response.ts';

type CallOrigin = { workspaceId: string; requestId: string };

export type SaveFailure = { err: unknown; requestId: string };

/** Resolves with false if the response could not be stored; never rejects. */
export type SaveResponse = (response: StoredResponse, origin: CallOrigin) => Promise<boolean>;

/**
 * Creates the function that stores responses. A response that cannot be stored was paid for, so it
 * is sent nevertheless, as one that is not stored.
 */
export const createSaveResponse =
  (
    { save }: Pick<ResponseStore, 'save'>,
    onFailure: (failure: SaveFailure) => void,
  ): SaveResponse =>
  async (response, { workspaceId, requestId }) => {
    try {
      await save(workspaceId, response);
      return true;
    } catch (err) {
      onFailure({ err, requestId });
      return false;
    }
  };
