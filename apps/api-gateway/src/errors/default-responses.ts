import type { Route, RouteResponse, RouteResponses } from '../http/route.ts';
import { DOCUMENTED_ERROR } from './error-schema.ts';

export const RETRY_AFTER = { 'retry-after': 'Seconds to wait' } as const;

const CHALLENGE = {
  'www-authenticate': '`Bearer realm="witan"`; with `error="invalid_token"` when a key was sent',
} as const;

const INVALID_PAGE = 'limit is out of range, or cursor is none that was given';

/**
 * Adds the error responses that routes have in common to a route's documentation. Some are added
 * only to routes with scopes, with a body, or with support for `Idempotency-Key`. Responses that
 * the route declares take precedence.
 */
export const withDefaultResponses = (route: Route): Route => {
  const error = DOCUMENTED_ERROR[route.surface];
  const keyResponses: RouteResponses = {
    401: { ...error('No valid key'), headers: CHALLENGE },
    403: error(
      route.scopes?.length === 0
        ? 'The request is not from the console (cross_origin_request)'
        : 'The key lacks the scope',
    ),
    429: { ...error('Too many calls with this key'), headers: RETRY_AFTER },
  };
  const bodyResponses: RouteResponses = {
    413: error('The body is too large'),
    415: error('The body is no JSON by its content type, or its encoding is not known'),
  };
  const idempotencyResponses: RouteResponses = {
    409: gatewayOrProviderError(
      route,
      'A call with this Idempotency-Key runs (idempotency_in_progress), or its answer was lost ' +
        '(idempotency_answer_lost)',
    ),
    422: gatewayOrProviderError(route, 'This Idempotency-Key stands for another call'),
  };
  return {
    ...route,
    responses: {
      400: error(route.query?.cursor ? INVALID_PAGE : 'The request is not valid'),
      ...(route.scopes ? keyResponses : {}),
      ...(route.body ? bodyResponses : {}),
      ...(route.idempotent ? idempotencyResponses : {}),
      500: error('A fault of ours'),
      503: error('A service is down for the moment'),
      504: error('A service did not answer in time'),
      ...route.responses,
    },
  };
};

/**
 * Returns the documentation of a response that on dialect routes may also be an error of the
 * provider, passed on byte for byte.
 */
const gatewayOrProviderError = ({ surface }: Route, description: string): RouteResponse =>
  surface === 'native'
    ? DOCUMENTED_ERROR.native(description)
    : { description: `${description}, or an error of the provider`, schema: { type: 'object' } };
