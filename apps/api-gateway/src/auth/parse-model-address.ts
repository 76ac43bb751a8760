import { grantsAny } from './scope.ts';
import type { RequiredScope } from './scope.ts';
import { create } from '@bufbuild/protobuf';
import { AddressSchema, invalidRequest, ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';

/**
 * Parses the `model` field of a request. Throws NOT_IMPLEMENTED for a `debate:` address, and
 * INVALID_REQUEST for a malformed address (see `readModelAddress`) or a model name that a
 * certificate cannot contain.
 */
export const parseModelAddress = (requested: string): Address => {
  if (!requested.isWellFormed() || /\p{Cc}/u.test(requested)) {
    const message = 'model must be well-formed Unicode without control characters.';
    throw invalidRequest(message, { param: 'model' });
  }
  const { kind, name, ...flags } = readModelAddress(requested);
  if (kind === 'debate') {
    throw new ServiceError(
      'NOT_IMPLEMENTED',
      'debate: addresses are reserved; use POST /v1/conversations to run a debate.',
      { fields: { param: 'model' } },
    );
  }
  const named = kind === 'model' ? { model: name } : kind === 'agent' ? { agent: name } : {};
  return create(AddressSchema, { requested, kind, ...named, ...flags });
};

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
