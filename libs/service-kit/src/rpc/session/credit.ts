/**
 * Maximum number of bytes, as counted by `creditFor`, by which a handler can be ahead of its
 * reader. Equals the default HTTP/2 stream window, so a call pauses at the same point as over plain
 * gRPC.
 */
export const CREDIT_BYTES = 64 * 1024;

/** Fixed cost of a message, so that the number of small messages is limited too. */
const MESSAGE_BYTES = 128;

/** Returns the credit that a message of `bytes` takes. Part of the protocol (session.proto). */
export const creditFor = (bytes: number): number => bytes + MESSAGE_BYTES;

export type Credit = {
  /** Takes credit for a message. Returns a promise to await when none is left. */
  take: (messageBytes: number) => Promise<void> | undefined;
  give: (bytes: number) => void;
  release: () => void;
};

/** Creates the credit of a call. While credit is left, a message of any size can be sent. */
export const createCredit = (bytes: number): Credit => {
  let left = bytes;
  let onAvailable: (() => void) | undefined;
  return {
    take: (messageBytes) => {
      left -= creditFor(messageBytes);
      if (left > 0) return undefined;
      return new Promise((resolve) => {
        onAvailable = resolve;
      });
    },
    give: (more) => {
      left += more;
      if (left > 0) onAvailable?.();
    },
    release: () => onAvailable?.(),
  };
};
