/** A kind of call, such as a chat turn, that is repeated during the run. */
export type Flow = {
  name: string;
  /**
   * Makes one call. Resolves with an empty string if the call succeeded, otherwise with the error;
   * never rejects.
   */
  call: () => Promise<string>;
  /**
   * Returns a violation for each inconsistency in what the calls have stored. Must be called when
   * no call is in flight.
   */
  check: () => Promise<string[]>;
};

/** The `check` of flows that store nothing; returns no violations. */
export const checkNothing = async (): Promise<string[]> => [];
