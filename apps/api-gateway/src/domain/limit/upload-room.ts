export type TakeRoom = (workspaceId: string, bytes: number) => RoomTaken | RoomRefused;

export type RoomTaken = {
  isTaken: true;
  /** Reduces the reservation to `bytes`; never increases it. */
  shrink: (bytes: number) => void;
  release: () => void;
};

export type RoomRefused = { isTaken: false; isOwn: boolean };

/**
 * Reserves up to `bytesMax` bytes for concurrent uploads. A workspace may use at most as much as it
 * leaves free: a single one gets half, so another workspace can always start an upload.
 */
export const createUploadRoom = (bytesMax: number): TakeRoom => {
  const takenBy = new Map<string, number>();
  let all = 0;
  const add = (workspaceId: string, bytes: number): void => {
    all += bytes;
    const left = (takenBy.get(workspaceId) ?? 0) + bytes;
    if (left > 0) takenBy.set(workspaceId, left);
    else takenBy.delete(workspaceId);
  };
  return (workspaceId, bytes) => {
    const own = takenBy.get(workspaceId) ?? 0;
    if (own + bytes > bytesMax - all) return { isTaken: false, isOwn: own > 0 };
    add(workspaceId, bytes);
    let taken = bytes;
    const shrink = (wanted: number): void => {
      const rest = Math.min(taken, wanted);
      add(workspaceId, rest - taken);
      taken = rest;
    };
    return { isTaken: true, shrink, release: () => shrink(0) };
  };
};
