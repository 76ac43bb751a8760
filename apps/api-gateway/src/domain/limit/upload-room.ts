/** Takes room for so many bytes of a workspace's upload, or says why there is none. */
export type TakeRoom = (workspaceId: string, bytes: number) => RoomTaken | RoomRefused;

export type RoomTaken = {
  isTaken: true;
  /** Gives back what is beyond `bytes`; it does not take more. */
  shrink: (bytes: number) => void;
  /** Gives it back; further calls do nothing. */
  release: () => void;
};

/** `isOwn`: the workspace itself has taken what there was for it. */
export type RoomRefused = { isTaken: false; isOwn: boolean };

/**
 * Room for `bytesMax` bytes of uploads at once. A workspace may have as much of them as it leaves
 * free: one alone half, and as long as few share the room, whoever comes finds some. Workspaces
 * without any are not remembered.
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
