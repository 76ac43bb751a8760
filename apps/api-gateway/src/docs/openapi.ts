import { hash } from 'node:crypto';
import { toOpenapi } from './to-openapi.ts';
import type { OpenapiDocument, OperationExample } from './to-openapi.ts';
import type { Route } from '../http/route.ts';
import { renderPage } from './docs-page.ts';
import { SCRIPT } from './docs-script.ts';
import { STYLE } from './docs-style.ts';
import recordedExamples from './openapi-examples.json' with { type: 'json' };
import { INFO, TAGS } from './openapi-info.ts';
import { sendCompressed } from './send-compressed.ts';
import { SCHEMA_NAMES } from './openapi-names.ts';
import { withDefaultResponses } from '../errors/default-responses.ts';
import { describeDeliveries } from '../resources/webhooks/webhook-events.ts';

/**
 * Recorded requests and responses by operation. The tests in `e2e/reference` record them and check
 * that the current system returns the same.
 */
const EXAMPLES: Readonly<Record<string, OperationExample>> = recordedExamples;

export const referenceRoutes = (routes: readonly Route[]): Route[] => {
  let document: OpenapiDocument | undefined;
  // Created on first use instead of at start, because it takes a tenth of a second of CPU.
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

/** A copy that has not changed is not sent again. */
const UNCHANGED = { 304: { description: 'The copy of `if-none-match` is current' } } as const;

const openapiRoute = (read: () => OpenapiDocument): Route => ({
  id: 'getOpenapi',
  method: 'get',
  path: '/v1/openapi.json',
  surface: 'native',
  tag: 'Reference',
  summary: 'This document',
  scopes: undefined,
  responses: { 200: { description: 'OpenAPI 3.1', schema: { type: 'object' } }, ...UNCHANGED },
  handle: sendCompressed(() => JSON.stringify(read()), { 'content-type': 'application/json' }),
});

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const POLICY = [
  "default-src 'none'",
  `style-src ${sourceOf(STYLE)}`,
  `script-src ${sourceOf(SCRIPT)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const docsRoute = (read: () => OpenapiDocument): Route => ({
  id: 'getDocs',
  method: 'get',
  path: '/docs',
  surface: 'native',
  tag: 'Reference',
  summary: 'This reference as a page',
  scopes: undefined,
  responses: {
    200: {
      description: 'The page; it loads nothing else, from nowhere',
      contentType: 'text/html',
      schema: { type: 'string' },
    },
    ...UNCHANGED,
  },
  handle: sendCompressed(() => renderPage(read()), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
  }),
});
