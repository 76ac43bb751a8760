import { ProofError } from '../src/errors.ts';
import type { ProofReason } from '../src/errors.ts';

/** The reason for which `run` fails; undefined when it does not. Other errors go through. */
export function reasonOf(run: () => unknown): ProofReason | undefined {
  return failureOf(run)?.reason;
}

/** The ProofError with which `run` fails; undefined when it does not. Other errors go through. */
export function failureOf(run: () => unknown): ProofError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error;
    throw error;
  }
}
