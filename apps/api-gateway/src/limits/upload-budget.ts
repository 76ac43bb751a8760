export type ReserveBytes = (
  workspaceId: string,
  bytes: number,
) => BytesReserved | ReservationRefused;

export type BytesReserved = {
  isReserved: true;
  /** Reduces the reservation to `bytes`; a larger value changes nothing. */
  shrink: (bytes: number) => void;
  release: () => void;
};

export type ReservationRefused = { isReserved: false; isWorkspaceShareUsed: boolean };

/**
 * Reserves memory for concurrent uploads, up to `bytesMax` bytes in total. Refuses a reservation if
 * the workspace's own total would exceed the bytes that are free before it. A single workspace
 * therefore gets about half of the memory and leaves room for another one.
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
    if (own + bytes > bytesMax - total) return { isReserved: false, isWorkspaceShareUsed: own > 0 };
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
