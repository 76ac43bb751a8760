/** A use of the system that is repeated during the run. */
export type Flow = {
  name: string;
  /** Makes one call; returns its error, or an empty string. Never rejects. */
  call: () => Promise<string>;
  /** Checks the stored state once no call is in flight. */
  check: () => Promise<string[]>;
};

/** The check of flows without stored state, which finds nothing. */
export const nothingStored = async (): Promise<string[]> => [];
