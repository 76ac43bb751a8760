/** What should be true, and what to say when it is not. */
export type Claim = readonly [holds: boolean, fault: string];

/** The faults of the claims that do not hold, in their order. */
export const report = (...claims: readonly Claim[]): string[] =>
  claims.flatMap(([holds, fault]) => (holds ? [] : [fault]));
