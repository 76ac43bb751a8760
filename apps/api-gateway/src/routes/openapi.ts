import { toOpenapi } from '../http/to-openapi.ts';
import type { Route } from '../http/route.ts';
import { withStandingAnswers } from './standing-answers.ts';
import { describeDeliveries } from './webhook-events.ts';

/** `GET /v1/openapi.json`: the document that the route table makes, itself included. */
export const openapiRoute = (routes: readonly Route[]): Route => {
  const route: Route = {
    id: 'getOpenapi',
    method: 'get',
    path: '/v1/openapi.json',
    surface: 'native',
    tag: 'Reference',
    summary: 'This document',
    scopes: undefined,
    answers: { 200: { description: 'OpenAPI 3.1', schema: { type: 'object' } } },
    handle: async () => ({ status: 200, json: document }),
  };
  const document = toOpenapi([...routes, route].map(withStandingAnswers), describeDeliveries());
  return route;
};
