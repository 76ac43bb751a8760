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
