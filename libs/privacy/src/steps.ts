/**
 * A computation that pauses after each part of its work, so that its caller can do other work in
 * between or end it. Its result does not depend on the pauses.
 */
export type Steps<T> = Generator<void, T, void>;

/**
 * Number of code units, tokens or values after which a computation pauses. One that has fewer runs
 * without pauses, and with few generators, because creating one takes as long as reading a word.
 */
export const STEP_UNITS = 16_384;

/** A function that can also compute its result in steps. */
export type Stepped<Inputs extends unknown[], T> = ((...inputs: Inputs) => T) & {
  inSteps: (...inputs: Inputs) => Steps<T>;
};

/** Computes the result of `run` in steps if it can do so. */
export function* callInSteps<Inputs extends unknown[], T>(
  run: ((...inputs: Inputs) => T) & { inSteps?: (...inputs: Inputs) => Steps<T> },
  ...inputs: Inputs
): Steps<T> {
  return run.inSteps === undefined ? run(...inputs) : yield* run.inSteps(...inputs);
}

/** Calls `advance` with ascending limits, the last of which is `end`, and pauses in between. */
export function* advanceInSteps(
  end: number,
  advance: (limit: number) => void,
  stepUnits = STEP_UNITS,
): Steps<void> {
  for (let limit = stepUnits; limit < end; limit += stepUnits) {
    advance(limit);
    yield;
  }
  advance(end);
}

export function runSteps<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
