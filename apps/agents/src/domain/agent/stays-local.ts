import { isServiceError } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import type { Persona } from './agent.ts';

/**
 * Whether calls of this agent, and everything derived from them, must not leave the machine. True
 * for a preference that cannot be read, which only an older release accepted: the llm-gateway
 * refuses its calls.
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
