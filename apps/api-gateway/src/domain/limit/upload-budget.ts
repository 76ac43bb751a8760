export type ReserveBytes = (
  workspaceId: string,
  bytes: number,
) => BytesReserved | ReservationRefused;

export type BytesReserved = {
  isReserved: true;
  /** Reduces the reservation to `bytes`; never increases it. */
  shrink: (bytes: number) => void;
  release: () => void;
};

export type ReservationRefused = { isReserved: false; isOwnShareUsed: boolean };

/**
 * Reserves up to `bytesMax` bytes for concurrent uploads. A workspace may use at most as much as it
 * leaves free: a single workspace gets half, so another workspace can always start an upload.
 */
export const createUploadBudget = (bytesMax: number): ReserveBytes => {
  const reservedBy = new Map<string, number>();
  let total = 0;
  const add = (workspaceId: string, bytes: number): void => {
    total += bytes;
    const left = (reservedBy.get(workspaceId) ?? 0) + bytes;
    if (left > 0) reservedBy.set(workspaceId, left);
    else reservedBy.delete(workspaceId);
  };
  return (workspaceId, bytes) => {
    const own = reservedBy.get(workspaceId) ?? 0;
    if (own + bytes > bytesMax - total) return { isReserved: false, isOwnShareUsed: own > 0 };
    add(workspaceId, bytes);
    let reserved = bytes;
    const shrink = (newBytes: number): void => {
      const rest = Math.min(reserved, newBytes);
      add(workspaceId, rest - reserved);
      reserved = rest;
    };
    return { isReserved: true, shrink, release: () => shrink(0) };
  };
};
