import { invalidRequest, ServiceError } from '@witan/contracts';
import type { Opened, ProviderRefusal } from '@witan/contracts';

const REJECTED = new Set([400, 413, 422]);
const TOO_MANY = 429;
/** Seconds after which the client may retry if the provider sent no `Retry-After` header. */
const RETRY_AFTER_S = '5';

export const toRefusalError = (
  { status, headers, proofId: proof }: Pick<Opened, 'status' | 'headers' | 'proofId'>,
  { message }: Pick<ProviderRefusal, 'message'>,
): ServiceError => {
  if (REJECTED.has(status)) {
    const code = 'provider_rejected';
    return invalidRequest(`The model provider rejected the call: ${message}`, { code, proof });
  }
  if (status === TOO_MANY) {
    const retryAfter = headers['retry-after'] ?? RETRY_AFTER_S;
    const fields = { code: 'provider_rate_limited', proof, retryAfter };
    const text = 'The model provider takes no more calls for the moment; try again later.';
    return new ServiceError('RATE_LIMITED', text, { fields });
  }
  const text = `The model provider answered with status ${status}.`;
  return new ServiceError('PROVIDER_UNREACHABLE', text, { fields: { proof } });
};
