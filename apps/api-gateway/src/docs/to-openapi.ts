import { nameSchemas } from './to-openapi-schemas.ts';
import { toErrorExamples } from './openapi-errors.ts';
import { STREAM } from '../http/route.ts';
import { text as textSchema } from '../http/schema.ts';
import type { JsonSchema, Route, RouteResponse } from '../http/route.ts';

export type OperationExample = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  request?: unknown;
  /** Response bodies by status: JSON, or `{ text }` for another content type. */
  answers: Readonly<Record<string, unknown>>;
  streamed?: string;
};

export type Reference = {
  info: { title: string; version: string; description: string } & Readonly<Record<string, unknown>>;
  tags: readonly { name: string; description: string }[];
  names: ReadonlyMap<JsonSchema, string>;
  examples: Readonly<Record<string, OperationExample>>;
  webhooks: Readonly<Record<string, object>>;
};

type OpenapiMedia = {
  schema: JsonSchema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
};
export type OpenapiContent = Readonly<Record<string, OpenapiMedia>>;
export type OpenapiParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: string | number;
};
export type OpenapiResponse = {
  description: string;
  content?: OpenapiContent;
  headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>;
};
export type OpenapiOperation = {
  operationId: string;
  summary: string;
  description: string;
  tags: readonly string[];
  security?: readonly object[];
  parameters: readonly OpenapiParameter[];
  requestBody?: { required: boolean; content: OpenapiContent };
  responses: Readonly<Record<string, OpenapiResponse>>;
};
export type OpenapiDocument = {
  openapi: string;
  info: Reference['info'];
  servers: readonly { url: string; description: string }[];
  tags: Reference['tags'];
  security: readonly Readonly<Record<string, readonly string[]>>[];
  paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  webhooks: Readonly<Record<string, object>>;
  components: {
    securitySchemes: Readonly<Record<string, object>>;
    schemas: Readonly<Record<string, JsonSchema>>;
  };
};

const EMPTY_REFERENCE: Reference = {
  info: { title: '', version: '', description: '' },
  tags: [],
  names: new Map(),
  examples: {},
  webhooks: {},
};

export const toOpenapi = (
  routes: readonly Route[],
  reference: Partial<Reference>,
): OpenapiDocument => {
  const { info, tags, names, examples, webhooks } = { ...EMPTY_REFERENCE, ...reference };
  const { refer, schemas } = nameSchemas(routes, names);
  const toDocumented = (route: Route) => toOperation(route, refer, examples[route.id]);
  const paths = Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((route) => [route.method, toDocumented(route)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'The server that answered this document' }],
    tags,
    security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    paths,
    webhooks,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: schemas() },
  };
};

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A key of the workspace, `sk_live_...`',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key as `Authorization: Bearer sk_live_...`',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'witan_session',
    description:
      'The cookie of `POST /v1/console/sessions`, under HTTPS `__Host-witan_session`, in ' +
      'requests of the same origin with ' +
      '`x-witan-console: 1` and without a key',
  },
} as const;

type ToReference = (schema: JsonSchema) => JsonSchema;

const toOperation = (
  route: Route,
  refer: ToReference,
  example: OperationExample | undefined,
): OpenapiOperation => ({
  operationId: route.id,
  summary: route.summary,
  description: describe(route),
  tags: [route.tag],
  ...(route.scopes ? {} : { security: [] }),
  parameters: [
    ...toParameters('path', pathParameters(route.path), example?.params),
    ...toParameters('query', route.query, example?.query),
    ...toParameters('header', route.headers),
    ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
  ],
  ...(route.body
    ? {
        requestBody: {
          // An absent body is read as `{}`, so a body is required only if a member is, or if it may
          // be an upload.
          required: route.body.required !== undefined || route.uploads !== undefined,
          content: toRequestContent({ [JSON_TYPE]: route.body, ...route.uploads }, refer, example),
        },
      }
    : {}),
  responses: Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [
      status,
      toResponse(response, { status, route, refer, example }),
    ]),
  ),
});

const MEBIBYTE = 1024 * 1024;

const describe = ({ description, scopes, body, bodyBytesMax = MEBIBYTE }: Route): string => {
  return [
    ...(description ? [description] : []),
    describeScopes(scopes),
    ...(body ? [`The body may have ${Math.round(bodyBytesMax / MEBIBYTE)} MiB.`] : []),
  ].join('\n\n');
};

const describeScopes = (scopes: Route['scopes']): string => {
  if (!scopes) return 'Needs no key.';
  if (scopes.length === 0) return 'Needs a session, whatever its scopes.';
  return `Needs a key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
};

const asExample = (value: unknown): { example?: unknown } =>
  value === undefined ? {} : { example: value };

const JSON_TYPE = 'application/json';

const toRequestContent = (
  schemas: Readonly<Record<string, JsonSchema>>,
  refer: ToReference,
  example: OperationExample | undefined,
): OpenapiContent =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema: refer(schema), ...(type === JSON_TYPE && asExample(example?.request)) },
    ]),
  );

const IDEMPOTENCY_KEY: OpenapiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Of calls with the same key and the same content one is carried out within 24 h. The others ' +
    'get its answer, with `Idempotency-Replayed: true`. Ignored when the answer is a stream.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const toParameters = (
  location: OpenapiParameter['in'],
  schemas: Readonly<Record<string, JsonSchema>> = {},
  examples: Readonly<Record<string, string>> = {},
): OpenapiParameter[] =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: location,
    required: location === 'path',
    ...(typeof schema.description === 'string' ? { description: schema.description } : {}),
    schema,
    ...toParameterExample(examples[name], schema),
  }));

const pathParameters = (path: string): Record<string, JsonSchema> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, textSchema]));

const toParameterExample = (
  text: string | undefined,
  { type }: JsonSchema,
): Pick<OpenapiParameter, 'example'> => {
  if (text === undefined) return {};
  return { example: type === 'integer' || type === 'number' ? Number(text) : text };
};

type ResponseContext = {
  status: string;
  route: Route;
  refer: ToReference;
  example: OperationExample | undefined;
};

const toResponse = (response: RouteResponse, context: ResponseContext): OpenapiResponse => ({
  description: response.description,
  ...(response.schema ? { content: toContent(response, context) } : {}),
  ...(response.headers
    ? {
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, text]) => [
            name,
            { description: text, schema: { type: 'string' } },
          ]),
        ),
      }
    : {}),
});

const toContent = (
  { contentType = 'application/json', schema, streamedAs, description }: RouteResponse,
  { status, route, refer, example }: ResponseContext,
): OpenapiContent => {
  const exampleResponse = example?.answers[status];
  const errors = toErrorExamples({ status, description, surface: route.surface });
  const isError = errors !== undefined && /^(?:Chat|Messages)?Error$/.test(nameOf(refer(schema!)));
  const content = {
    [contentType]: {
      schema: refer(schema!),
      ...(isError ? { examples: errors } : asExample(textOf(exampleResponse))),
    },
  };
  return streamedAs
    ? {
        ...content,
        [streamedAs]: {
          schema: STREAM,
          ...(status.startsWith('2') ? asExample(example?.streamed) : {}),
        },
      }
    : content;
};

const nameOf = ({ $ref }: JsonSchema): string =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';

const textOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'text' in body && Object.keys(body).length === 1
    ? body.text
    : body;
