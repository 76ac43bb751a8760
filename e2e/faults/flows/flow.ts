/** A way of using the system, repeated during the run. */
export type Flow = {
  name: string;
  /**
   * Makes one call. Resolves with its error, or with an empty string if it succeeded; never
   * rejects.
   */
  call: () => Promise<string>;
  /**
   * Returns the violations in what the calls have stored; to be called when no call is in flight.
   */
  check: () => Promise<string[]>;
};

/** `check` for flows that store nothing: returns no violations. */
export const checkNothing = async (): Promise<string[]> => [];
