/** An expectation, and the message to return if it does not hold. */
export type Claim = readonly [holds: boolean, violation: string];

/** Returns the messages of the expectations that do not hold, in their order. */
export const toViolations = (...claims: readonly Claim[]): string[] =>
  claims.flatMap(([holds, violation]) => (holds ? [] : [violation]));
