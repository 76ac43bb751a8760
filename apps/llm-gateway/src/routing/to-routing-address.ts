import type { Address } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';

export type RoutingAddress = Pick<Address, 'kind' | 'model' | 'sensitive'>;

/**
 * Returns the address that decides the route: for an agent its preferred model, or the full model
 * if it prefers none. A call that must stay local stays local, whatever its agent prefers. Throws
 * INVALID_REQUEST for an invalid preferred model.
 */
export const toRoutingAddress = ({ kind, model, sensitive }: Address): RoutingAddress => {
  if (kind !== 'agent') return { kind, model, sensitive };
  if (model === '') return { kind: 'service-agent', model, sensitive };
  const preferred = readModelAddress(model);
  const named = preferred.kind === 'model' ? preferred.name : '';
  return { kind: preferred.kind, model: named, sensitive: sensitive || preferred.sensitive };
};
