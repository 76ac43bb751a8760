/** A repeated use of the system. */
export type Flow = {
  name: string;
  /** Runs it once; returns the error, or an empty string. Never rejects. */
  call: () => Promise<string>;
  /** Checks the stored state once no call is in flight. */
  check: () => Promise<string[]>;
};

/** For flows without stored state. */
export const nothingStored = async (): Promise<string[]> => [];
