import { create } from '@bufbuild/protobuf';
import { AddressSchema, invalidRequest, ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';

const SERVICE_KINDS = new Set(['service-auto', 'service-agent', 'service-sensitive']);
const FLAGS = new Set(['knowledge', 'sensitive']);

/**
 * Reads the `model` field of a dialect body (Seed 4.6, Model addressing). `+knowledge` and
 * `+sensitive` compose with every base; any other `+` belongs to the model's own name. What looks
 * like a wish to keep the call on this machine is taken for one, however it is spelled and whatever
 * stands behind it: a typing error must not send it out. Throws NOT_IMPLEMENTED for `debate:` and
 * INVALID_REQUEST for a name that cannot be certified.
 */
export const parseModelAddress = (requested: string): Address => {
  if (!requested.isWellFormed() || /\p{Cc}/u.test(requested)) {
    const message = 'model must be well-formed Unicode without control characters.';
    throw invalidRequest(message, { param: 'model' });
  }
  const { base, flags } = splitFlags(requested);
  const { scheme, name } = splitScheme(base);
  if (scheme === 'debate') {
    throw new ServiceError(
      'NOT_IMPLEMENTED',
      'debate: addresses are reserved; use POST /v1/conversations to run a debate.',
      { fields: { param: 'model' } },
    );
  }
  const shared = {
    requested,
    knowledge: flags.has('knowledge'),
    // The address by its own name says it without a flag.
    sensitive: requested !== 'service-sensitive' && wantsSensitive(requested),
  };
  if (scheme === 'agent') return create(AddressSchema, { ...shared, kind: 'agent', agent: name });
  if (SERVICE_KINDS.has(base)) return create(AddressSchema, { ...shared, kind: base });
  return create(AddressSchema, { ...shared, kind: 'model', model: base });
};

/** One of the words between the pluses asks for it; case, spaces and a `:suffix` do not matter. */
const wantsSensitive = (requested: string): boolean =>
  requested
    .split('+')
    .map((word) => word.split(':', 1)[0]!.trim().toLowerCase())
    .some((word, place) => word === (place === 0 ? 'service-sensitive' : 'sensitive'));

const splitFlags = (text: string): { base: string; flags: Set<string> } => {
  const flags = new Set<string>();
  let base = text;
  for (;;) {
    const plus = base.lastIndexOf('+');
    const flag = base.slice(plus + 1);
    if (plus <= 0 || !FLAGS.has(flag)) return { base, flags };
    flags.add(flag);
    base = base.slice(0, plus);
  }
};

const splitScheme = (base: string): { scheme: string; name: string } => {
  const [, scheme = '', name = ''] = /^(agent|debate):(.*)$/s.exec(base) ?? [];
  return { scheme, name };
};
