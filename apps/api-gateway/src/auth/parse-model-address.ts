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

/** A module whose scope, or `:read` scope, a call or its stored response needs beside `gateway`. */
export type NeededModule = 'agents' | 'knowledge';

/** Returns the modules whose scopes a model address needs in addition to `gateway`. */
export const modulesOfAddress = ({
  kind,
  knowledge,
}: Pick<Address, 'kind' | 'knowledge'>): NeededModule[] => [
  ...(kind === 'agent' ? (['agents'] as const) : []),
  ...(knowledge ? (['knowledge'] as const) : []),
];

/**
 * Throws INSUFFICIENT_SCOPE, naming the module, if the API key has neither a module's scope nor its
 * `:read` scope.
 */
export const verifyModules = (
  modules: readonly NeededModule[],
  granted: readonly string[],
): void => {
  for (const module of modules) {
    const required: RequiredScope[] = [module, `${module}:read`];
    if (grantsAny(granted, required)) continue;
    const feature = FEATURES[module];
    const message = `This key lacks the scope ${module}. ${feature} needs it beside gateway.`;
    throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: module } });
  }
};

const FEATURES: Readonly<Record<NeededModule, string>> = {
  agents: 'What an agent answers',
  knowledge: 'What +knowledge answers',
};
