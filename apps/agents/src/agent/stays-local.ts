import { isServiceError } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import type { Persona } from './agent.ts';

/**
 * Returns true if the agent's calls, and all data derived from them, must stay on the machine. Also
 * returns true, as the safe choice, for an invalid model address, which older releases accepted;
 * the llm-gateway rejects its calls.
 */
export const staysLocal = ({ model }: Pick<Persona, 'model'>): boolean => {
  try {
    const { kind, sensitive } = readModelAddress(model);
    return sensitive || kind === 'service-sensitive';
  } catch (error) {
    if (isServiceError(error)) return true;
    throw error;
  }
};
