import { ServiceError, unavailable } from '@witan/contracts';

/** Room for the bytes of documents that are taken in, of all workspaces together. */
export type UploadBuffer = {
  /** Of one document. Whoever takes must release. */
  open: (workspaceId: string) => UploadSlot;
};

export type UploadSlot = {
  /** Room for more bytes. Throws RATE_LIMITED and UNAVAILABLE. */
  take: (bytes: number) => void;
  /** Gives all of it back; further calls do nothing. */
  release: () => void;
};

/** Until the next look of a refused client, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * So many bytes at once. A workspace may have as much of them as it leaves free: one alone half,
 * and as long as few share the room, whoever comes finds some.
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
