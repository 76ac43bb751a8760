import type { Address } from '@witan/contracts';

/** What an address says about who answers. */
export type Wanted = Pick<Address, 'kind' | 'model' | 'sensitive'>;

const SERVICE_KINDS: ReadonlySet<string> = new Set([
  'service-auto',
  'service-agent',
  'service-sensitive',
]);

/**
 * Of an agent, the model that it prefers, as if that were the address, and without one the full
 * model; of every other address, what it says itself. A call that must stay on the machine stays,
 * whatever its agent prefers.
 */
export const toWanted = ({ kind, model, sensitive }: Address): Wanted => {
  if (kind !== 'agent') return { kind, model, sensitive };
  if (model === '') return { kind: 'service-agent', model, sensitive };
  return SERVICE_KINDS.has(model)
    ? { kind: model, model: '', sensitive }
    : { kind: 'model', model, sensitive };
};
