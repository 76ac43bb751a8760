import type { Route, RouteAnswers } from '../http/route.ts';
import { DOCUMENTED_ERROR } from './error-schema.ts';

/**
 * The route with the answers that follow from what it declares: whoever asks for a scope may refuse
 * a key, whoever takes a body may refuse its size. What the route says of a status itself counts.
 */
export const withStandingAnswers = (route: Route): Route => {
  const error = DOCUMENTED_ERROR[route.surface];
  const ofKey: RouteAnswers = {
    401: error('No valid key'),
    403: error('The key lacks the scope'),
  };
  const ofBody: RouteAnswers = {
    413: error('The body is too large'),
    415: error('The body is no JSON by its content type, or its encoding is not known'),
  };
  return {
    ...route,
    answers: {
      400: error('The request is not valid'),
      ...(route.scopes ? ofKey : {}),
      ...(route.body ? ofBody : {}),
      500: error('A fault of ours'),
      503: error('A service is down for the moment'),
      504: error('A service did not answer in time'),
      ...route.answers,
    },
  };
};
