import type { JsonSchema, Route, RouteAnswer } from './route.ts';

/** The OpenAPI 3.1 document of a route table and of what is sent to others by itself. */
export const toOpenapi = (
  routes: readonly Route[],
  webhooks: Readonly<Record<string, object>>,
): object => ({
  openapi: '3.1.0',
  info: {
    title: 'Witan',
    version: '0.1.0',
    description: 'A council of AI agents whose every answer can be verified offline.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{ apiKey: [] }, { bearer: [] }],
  paths: toPaths(routes),
  webhooks,
  components: {
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
  },
});

const toPaths = (routes: readonly Route[]): object =>
  Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((route) => [route.method, toOperation(route)])),
    ]),
  );

const toOperation = (route: Route): object => ({
  operationId: route.id,
  summary: route.summary,
  tags: [route.tag],
  ...(route.scopes ? {} : { security: [] }),
  parameters: [
    ...toParameters('path', route.params),
    ...toParameters('query', route.query),
    ...toParameters('header', route.headers),
    ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
  ],
  ...(route.body
    ? {
        requestBody: {
          // An absent body is `{}`, which is enough where nothing is required.
          required: route.body.required !== undefined || route.uploads !== undefined,
          content: {
            'application/json': { schema: route.body },
            ...toUploads(route.uploads),
          },
        },
      }
    : {}),
  responses: Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [status, toResponse(answer)]),
  ),
});

const toUploads = (uploads: Route['uploads'] = {}): object =>
  Object.fromEntries(Object.entries(uploads).map(([type, schema]) => [type, { schema }]));

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Of calls with the same key and the same content one is carried out within 24 h. The others ' +
    'get its answer, with `Idempotency-Replayed: true`. Ignored when the answer is a stream.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const toParameters = (
  place: 'path' | 'query' | 'header',
  schemas: Readonly<Record<string, JsonSchema>> = {},
): object[] =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    schema,
  }));

const toResponse = ({ description, headers, ...answer }: RouteAnswer): object => ({
  description,
  ...(answer.schema ? { content: toContent(answer) } : {}),
  ...(headers
    ? {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, text]) => [
            name,
            { description: text, schema: { type: 'string' } },
          ]),
        ),
      }
    : {}),
});

const toContent = ({
  contentType = 'application/json',
  schema,
  streamedAs,
}: Omit<RouteAnswer, 'description'>): object => ({
  [contentType]: { schema },
  ...(streamedAs ? { [streamedAs]: { schema: { type: 'string' } } } : {}),
});
