import type { Address } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';

/** What an address says about who answers. */
export type Wanted = Pick<Address, 'kind' | 'model' | 'sensitive'>;

/**
 * Of an agent, the model that it prefers, read as an address, and without one the full model; of
 * every other address, what it says itself. A call that must stay on the machine stays, whatever
 * its agent prefers. Throws INVALID_REQUEST for a misspelt preference.
 */
export const toWanted = ({ kind, model, sensitive }: Address): Wanted => {
  if (kind !== 'agent') return { kind, model, sensitive };
  if (model === '') return { kind: 'service-agent', model, sensitive };
  const preferred = readModelAddress(model);
  const named = preferred.kind === 'model' ? preferred.name : '';
  return { kind: preferred.kind, model: named, sensitive: sensitive || preferred.sensitive };
};
