import type { DialectName } from '@witan/dialects';
import type { RouteAnswer, RouteAnswers } from '../http/route.ts';
import { DOCUMENTED_ERROR, PROVIDER_ERROR } from './error-schema.ts';

/** Largest body of a dialect request, in bytes. */
export const DIALECT_BYTES_MAX = 32 * 1024 * 1024;

/** Headers of every certified answer. */
export const PROOF_HEADERS = {
  'x-service-proof': 'Id of the certificate',
  'x-service-model': 'What ran',
  'x-service-overhead-ms': 'Milliseconds that the gateway itself took until it answered',
} as const;

/** Ours or the provider's own, byte for byte, and then its shape is the provider's. */
const LIMITED: RouteAnswer = {
  description: 'Too many calls or streams with this key, or with the one that the provider knows',
  schema: { type: 'object' },
};

/** How a call of a dialect may fail, beside what its body and key may be refused for. */
export const dialectAnswers = (dialect: DialectName): RouteAnswers => {
  const error = DOCUMENTED_ERROR[dialect];
  return {
    400: error('The body is not a valid request'),
    404: error('There is no such agent'),
    429: LIMITED,
    501: error('The address is reserved'),
    502: error('The provider failed'),
    503: error('The ledger or a service is down; nothing was sent'),
    504: error('The provider did not answer in time'),
    529: error('The service is overloaded; nothing was sent'),
    '4XX': PROVIDER_ERROR,
    '5XX': PROVIDER_ERROR,
  };
};
