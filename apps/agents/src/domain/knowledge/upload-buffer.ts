import { ServiceError, unavailable } from '@witan/contracts';

export type UploadBuffer = {
  open: (workspaceId: string) => UploadSlot;
};

export type UploadSlot = {
  /**
   * Reserves bytes. Throws RATE_LIMITED if the workspace uses too many, and UNAVAILABLE if the
   * budget is exhausted.
   */
  take: (bytes: number) => void;
  release: () => void;
};

/** Value of the Retry-After header, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * Creates a memory budget for uploads. A workspace may use at most as many bytes as remain free, so
 * that a single workspace uses at most half of `bytesMax` and others still find free bytes.
 */
export const createUploadBuffer = (bytesMax: number): UploadBuffer => {
  const taken = new Map<string, number>();
  let all = 0;
  const add = (workspaceId: string, bytes: number): void => {
    all += bytes;
    const left = (taken.get(workspaceId) ?? 0) + bytes;
    if (left > 0) taken.set(workspaceId, left);
    else taken.delete(workspaceId);
  };
  return {
    open: (workspaceId) => {
      let own = 0;
      return {
        take: (bytes) => {
          const before = taken.get(workspaceId) ?? 0;
          if (before + bytes > bytesMax - all) throw before > own ? tooManyUploads() : bufferFull();
          add(workspaceId, bytes);
          own += bytes;
        },
        release: () => {
          add(workspaceId, -own);
          own = 0;
        },
      };
    },
  };
};

const tooManyUploads = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    'There is no more room for documents of this workspace while its others come in; ' +
      'try again when one of them was answered.',
    { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
  );

const bufferFull = (): ServiceError =>
  unavailable('There is no room for another document now; try again.');
