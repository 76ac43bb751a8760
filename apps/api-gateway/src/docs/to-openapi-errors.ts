import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import { encodeNativeError } from '../http/encode-native-error.ts';
import type { Surface } from '../http/route.ts';

const REASON_BY_STATUS: Readonly<Record<string, readonly [Reason, string]>> = {
  400: ['INVALID_REQUEST', 'name is required.'],
  401: ['UNAUTHENTICATED', 'The API key is missing or not valid.'],
  402: ['INSUFFICIENT_QUOTA', 'The account has not enough tokens.'],
  403: ['INSUFFICIENT_SCOPE', 'The key lacks the scope.'],
  404: ['NOT_FOUND', 'There is no such thing in this workspace.'],
  409: ['CONFLICT', 'It is not possible as things are.'],
  413: ['REQUEST_TOO_LARGE', 'The body is larger than 1048576 bytes.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'],
  422: ['IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key stands for another call.'],
  429: ['RATE_LIMITED', 'Too many calls with this key; try again in 1 s.'],
  500: ['INTERNAL', 'Something went wrong on our side.'],
  501: ['NOT_IMPLEMENTED', 'debate: addresses are reserved; use POST /v1/conversations.'],
  502: ['PROVIDER_UNREACHABLE', 'The provider could not be reached.'],
  503: ['UNAVAILABLE', 'A service is down for the moment; try again.'],
  504: ['PROVIDER_TIMEOUT', 'The provider did not answer in time.'],
  529: ['UNAVAILABLE', 'The service is overloaded; try again.'],
};

/**
 * Finds the error codes in a response's description, which are written in parentheses:
 * `(slug_taken)`.
 */
const NAMED_CODES = /\(([a-z]+(?:_[a-z]+)+)\)/g;

type DocumentedRefusal = { status: string; description: string; surface: Surface };

export const toErrorExamples = ({
  status,
  description,
  surface,
}: DocumentedRefusal): Record<string, { value: object }> | undefined => {
  const known = REASON_BY_STATUS[status];
  if (!known) return undefined;
  const [reason, message] = known;
  const codes = [...description.matchAll(NAMED_CODES)].map(([, code]) => code!);
  const bodyOf = (code?: string): object => {
    const text = code === undefined ? message : description;
    const failure = new ServiceError(reason, text, { fields: code ? { code } : {} });
    const requestId = 'req_06EzcOXTGcXn0bMVXKtBvE';
    return surface === 'native'
      ? encodeNativeError(failure, { requestId }).body
      : DIALECTS[surface].encodeError(failure, { requestId }).body;
  };
  if (codes.length === 0) return { [reason.toLowerCase()]: { value: bodyOf() } };
  return Object.fromEntries(codes.map((code) => [code, { value: bodyOf(code) }]));
};
