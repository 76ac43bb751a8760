/**
 * How far a handler may run ahead of the reader of its answers, in bytes as `creditFor` counts
 * them: what HTTP/2 allows one stream by default, so a call over a session pauses where one over
 * plain gRPC would.
 */
export const CREDIT_BYTES = 64 * 1024;

/** What a message costs beside its bytes, so that many small ones are limited too. */
const MESSAGE_BYTES = 128;

/** How much credit a message of `bytes` takes; part of the protocol (session.proto). */
export const creditFor = (bytes: number): number => bytes + MESSAGE_BYTES;

/** The credit of one call at the server. */
export type Credit = {
  /** Takes it for a message; a promise asks to wait for more. */
  take: (messageBytes: number) => Promise<void> | undefined;
  give: (bytes: number) => void;
  /** Nobody needs to wait any more. */
  release: () => void;
};

/** Creates the credit of a call: a message may be sent, whatever its size, while any is left. */
export const createCredit = (bytes: number): Credit => {
  let left = bytes;
  let onRoom: (() => void) | undefined;
  return {
    take: (messageBytes) => {
      left -= creditFor(messageBytes);
      if (left > 0) return undefined;
      return new Promise((resolve) => {
        onRoom = resolve;
      });
    },
    give: (more) => {
      left += more;
      if (left > 0) onRoom?.();
    },
    release: () => onRoom?.(),
  };
};
