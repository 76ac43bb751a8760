import { ServiceError, unavailable } from '@witan/contracts';

/** A budget for bytes of uploads in memory, shared by all workspaces. */
export type UploadBuffer = {
  /** Opens the account of one document; the caller must release it. */
  open: (workspaceId: string) => UploadSlot;
};

export type UploadSlot = {
  /** Reserves bytes. Throws RATE_LIMITED and UNAVAILABLE. */
  take: (bytes: number) => void;
  /** Releases all bytes; further calls have no effect. */
  release: () => void;
};

/** Retry-After of refused clients, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * Creates a budget of `bytesMax`. A workspace may use at most as much as it leaves free: a single
 * one half of it, so that other workspaces find free bytes.
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
          if (before + bytes > bytesMax - all) throw before > own ? tooManyUploads() : noRoom();
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

const noRoom = (): ServiceError =>
  unavailable('There is no room for another document now; try again.');
