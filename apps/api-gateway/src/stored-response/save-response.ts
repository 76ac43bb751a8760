import type { EndedResponse, ResponseStore, StoredResponse } from './stored-response.ts';

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

/** Resolves when the response is stored, or when that failed; never rejects. */
export type ReplaceResponse = (response: EndedResponse, origin: CallOrigin) => Promise<void>;

/** Delays between the attempts to store the end of a response; together 2.6 s. */
const RETRY_DELAYS_MS = [100, 500, 2_000] as const;

type Retrying = {
  /** Aborted when the service stops; then an attempt that fails is the last one. */
  signal: AbortSignal;
  wait: (ms: number) => Promise<unknown>;
  onFailure: (failure: SaveFailure) => void;
};

/**
 * Creates the function that stores the end of a response in the background in place of the queued
 * one. A response that was deleted meanwhile stays deleted.
 */
export const createReplaceResponse =
  (
    { replace }: Pick<ResponseStore, 'replace'>,
    { signal, wait, onFailure }: Retrying,
  ): ReplaceResponse =>
  async (response, { workspaceId, requestId }) => {
    for (const delayMs of [...RETRY_DELAYS_MS, undefined]) {
      try {
        return await replace(workspaceId, response);
      } catch (err) {
        if (delayMs === undefined || signal.aborted) return onFailure({ err, requestId });
      }
      await wait(delayMs);
    }
  };
