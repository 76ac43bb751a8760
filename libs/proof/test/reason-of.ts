import { ProofError } from '../src/errors.ts';
import type { ProofReason } from '../src/errors.ts';

export function reasonOf(run: () => unknown): ProofReason | undefined {
  return failureOf(run)?.reason;
}

export function failureOf(run: () => unknown): ProofError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error;
    throw error;
  }
}
