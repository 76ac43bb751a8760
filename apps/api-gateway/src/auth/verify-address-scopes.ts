import { ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { grantsAny } from './scope.ts';
import type { RequiredScope } from './scope.ts';

/**
 * Throws INSUFFICIENT_SCOPE, naming the missing scope, if the API key lacks a scope that a model
 * address needs in addition to `gateway`: `agents` or `agents:read` for an agent, `knowledge` or
 * `knowledge:read` for `+knowledge`.
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
