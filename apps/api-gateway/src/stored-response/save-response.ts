import type { Log } from '@witan/service-kit';
import type { ResponseStore, StoredResponse } from './stored-response.ts';

type CallOrigin = { workspaceId: string; requestId: string };

/** Resolves with false if the response could not be stored; never rejects. */
export type SaveResponse = (response: StoredResponse, origin: CallOrigin) => Promise<boolean>;

/**
 * Creates the function that stores responses. A response that cannot be stored was paid for, so it
 * is sent nevertheless, as one that is not stored.
 */
export const createSaveResponse =
  ({ save }: Pick<ResponseStore, 'save'>, log: Log): SaveResponse =>
  async (response, { workspaceId, requestId }) => {
    try {
      await save(workspaceId, response);
      return true;
    } catch (err) {
      log.error(
        { event: 'response_store_failed', err, requestId },
        'Could not store a response, it was sent as one that is not stored',
      );
      return false;
    }
  };
