/** One thing that people do with the system, again and again. */
export type Flow = {
  name: string;
  /** Does it once; answers what was wrong, empty when nothing. It does not reject. */
  call: () => Promise<string>;
  /** What is wrong with all that is kept of it, once nobody calls any more. */
  check: () => Promise<string[]>;
};

/** For what keeps nothing. */
export const nothingKept = async (): Promise<string[]> => [];
