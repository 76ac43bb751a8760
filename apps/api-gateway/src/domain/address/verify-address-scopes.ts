import { ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { grantsAny } from '../key/scope.ts';
import type { RequiredScope } from '../key/scope.ts';

/**
 * Throws INSUFFICIENT_SCOPE, naming the scope, if the key lacks a scope that the address needs
 * besides `gateway`: an agent needs `agents` or `agents:read`, `+knowledge` needs `knowledge` or
 * `knowledge:read`.
 */
export const verifyAddressScopes = (
  { kind, knowledge }: Pick<Address, 'kind' | 'knowledge'>,
  granted: readonly string[],
): void => {
  if (kind === 'agent') verifyModuleScope('agents', 'An agent', granted);
  if (knowledge) verifyModuleScope('knowledge', '+knowledge', granted);
};

const verifyModuleScope = (
  module: 'agents' | 'knowledge',
  feature: string,
  granted: readonly string[],
): void => {
  const required: RequiredScope[] = [module, `${module}:read`];
  if (grantsAny(granted, required)) return;
  const message = `This key lacks the scope ${module}. ${feature} needs it beside gateway.`;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: module } });
};
