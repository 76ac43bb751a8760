import { ServiceError, unavailable } from '@witan/contracts';

export type UploadBuffer = {
  open: (workspaceId: string) => UploadSlot;
};

export type UploadSlot = {
  /**
   * Reserves bytes. If they are not available, throws RATE_LIMITED if other uploads of the
   * workspace have reserved some, otherwise UNAVAILABLE.
   */
  take: (bytes: number) => void;
  release: () => void;
};

/** Value of the Retry-After header, in seconds. */
const RETRY_AFTER_S = '1';

/** Maximum number of bytes of uploads in memory: four documents of the maximum size. */
const BYTES_MAX = 128 * 1024 * 1024;

/**
 * Creates a memory budget for uploads. A reservation fails if its workspace would then use more
 * bytes than were free before, so that one workspace with many uploads cannot use up the budget.
 */
export const createUploadBuffer = (bytesMax = BYTES_MAX): UploadBuffer => {
  const bytesByWorkspace = new Map<string, number>();
  let all = 0;
  const add = (workspaceId: string, bytes: number): void => {
    all += bytes;
    const left = (bytesByWorkspace.get(workspaceId) ?? 0) + bytes;
    if (left > 0) bytesByWorkspace.set(workspaceId, left);
    else bytesByWorkspace.delete(workspaceId);
  };
  return {
    open: (workspaceId) => {
      let own = 0;
      return {
        take: (bytes) => {
          const before = bytesByWorkspace.get(workspaceId) ?? 0;
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
