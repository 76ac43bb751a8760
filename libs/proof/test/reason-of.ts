import { ProofError } from '../src/errors.ts';
import type { ProofReason } from '../src/errors.ts';

export function reasonOf(action: () => unknown): ProofReason | undefined {
  return failureOf(action)?.reason;
}

export function failureOf(action: () => unknown): ProofError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error;
    throw error;
  }
}
