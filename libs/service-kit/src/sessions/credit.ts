/**
 * Initial credit of a call in bytes, as counted by `creditFor`. A handler that has used it up
 * pauses until its reader has read. Equals the default HTTP/2 stream window, so that a call pauses
 * at about the same point as over plain gRPC.
 */
export const CREDIT_BYTES = 64 * 1024;

/** Added to the size of each message, so that the number of small messages is limited too. */
const MESSAGE_BYTES = 128;

/**
 * Returns the flow-control credit that a message of `bytes` bytes uses. Part of the protocol
 * (session.proto), so both sides must agree.
 */
export const creditFor = (bytes: number): number => bytes + MESSAGE_BYTES;

export type Credit = {
  /**
   * Takes the credit for a message that is being sent. Returns a promise to await before sending
   * more when none is left.
   */
  spend: (messageBytes: number) => Promise<void> | undefined;
  add: (bytes: number) => void;
  release: () => void;
};

/**
 * Creates the flow-control credit of a call. While any credit is left, a message of any size may be
 * sent.
 */
export const createCredit = (bytes: number): Credit => {
  let remainingBytes = bytes;
  let onAvailable: (() => void) | undefined;
  return {
    spend: (messageBytes) => {
      remainingBytes -= creditFor(messageBytes);
      if (remainingBytes > 0) return undefined;
      return new Promise((resolve) => {
        onAvailable = resolve;
      });
    },
    add: (addedBytes) => {
      remainingBytes += addedBytes;
      if (remainingBytes > 0) onAvailable?.();
    },
    release: () => onAvailable?.(),
  };
};
