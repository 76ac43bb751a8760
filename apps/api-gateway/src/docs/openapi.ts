import { toOpenapi } from './to-openapi.ts';
import type { OpenapiDocument } from './to-openapi.ts';
import type { Route } from '../http/route.ts';
import { docsRoute } from './docs.ts';
import { EXAMPLES } from './openapi-examples.ts';
import { INFO, TAGS } from './openapi-info.ts';
import { SCHEMA_NAMES } from './openapi-names.ts';
import { withDefaultResponses } from '../errors/default-responses.ts';
import { describeDeliveries } from '../resources/webhooks/webhook-events.ts';

export const referenceRoutes = (routes: readonly Route[]): Route[] => {
  let document: OpenapiDocument | undefined;
  // Created on first use, because it takes a tenth of a second of CPU at start.
  const readDocument = (): OpenapiDocument =>
    (document ??= toOpenapi([...routes, ...own].map(withDefaultResponses), {
      info: INFO,
      tags: TAGS,
      names: SCHEMA_NAMES,
      examples: EXAMPLES,
      webhooks: describeDeliveries(),
    }));
  const own: Route[] = [openapiRoute(readDocument), docsRoute(readDocument)];
  return own;
};

const openapiRoute = (read: () => OpenapiDocument): Route => {
  let text: string | undefined;
  return {
    id: 'getOpenapi',
    method: 'get',
    path: '/v1/openapi.json',
    surface: 'native',
    tag: 'Reference',
    summary: 'This document',
    scopes: undefined,
    responses: { 200: { description: 'OpenAPI 3.1', schema: { type: 'object' } } },
    // The document has half a million characters, so its text is created once and reused.
    handle: async () => ({ status: 200, text: (text ??= JSON.stringify(read())) }),
  };
};
