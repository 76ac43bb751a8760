/** An expectation, and the message to report if it does not hold. */
export type Claim = readonly [holds: boolean, violation: string];

/** Returns the messages of the failed expectations, in order. */
export const report = (...claims: readonly Claim[]): string[] =>
  claims.flatMap(([holds, violation]) => (holds ? [] : [violation]));
