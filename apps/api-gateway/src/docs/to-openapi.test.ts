import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from '@jest/globals';
import {
  AgentService,
  AgentTurnService,
  CertificateService,
  KnowledgeService,
  ModelService,
} from '@witan/contracts/services';
import { createClient, createInProcessTransport } from '@witan/service-kit';
import { chatCompletionsRoute } from '../resources/completions/chat-completions.ts';
import { modelsRoute } from '../resources/models/models.ts';
import { referenceRoutes } from './openapi.ts';
import { proofRoutes } from '../resources/proofs/proofs.ts';
import type { JsonSchema, Route, RouteCall } from '../http/route.ts';

type Content = Record<string, { schema: JsonSchema }>;
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security?: object[];
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
type Document = {
  openapi: string;
  info: Record<string, unknown>;
  security: Record<string, unknown>[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, JsonSchema> };
};

/**
 * Returns the route table with clients that are not connected, because the test only reads the
 * routes' declarations.
 */
const makeRoutes = (): Route[] => {
  const disconnected = createInProcessTransport({
    caller: 'api-gateway',
    dispatcher: () => undefined,
  });
  const certificates = createClient(CertificateService, disconnected);
  const routes = [
    chatCompletionsRoute(
      {
        complete: async () => await new Promise<never>(() => {}),
        turns: createClient(AgentTurnService, disconnected),
        knowledge: createClient(KnowledgeService, disconnected),
      },
      1_000,
    ),
    modelsRoute({
      models: createClient(ModelService, disconnected),
      agents: createClient(AgentService, disconnected),
    }),
    ...proofRoutes(certificates, () => new Date(0)),
  ];
  return [...routes, ...referenceRoutes(routes)];
};

const readDocument = async (all: readonly Route[]): Promise<Document> => {
  let text = '';
  const request = { get: () => undefined, acceptsEncodings: () => false };
  const response = {
    setHeader: () => {},
    status: () => response,
    end: (body: Buffer) => (text = body.toString()),
  };
  const route = all.find(({ id }) => id === 'getOpenapi')!;
  await route.handle({ request, response } as unknown as RouteCall);
  return JSON.parse(text) as Document;
};

const routes = makeRoutes();
const document = await readDocument(routes);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const schemasOf = ({ parameters, requestBody, responses }: Operation): JsonSchema[] => [
  ...parameters.map(({ schema }) => schema),
  ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  ...Object.values(responses).flatMap(({ content = {} }) =>
    Object.values(content).map(({ schema }) => schema),
  ),
];

describe('the OpenAPI document', () => {
  it('has every route once, with a unique operation id', () => {
    const declared = routes.map(({ method, path, id }) => `${method} ${path} ${id}`);
    const documented = operations.map(
      ({ path, method, operation }) => `${method} ${path} ${operation.operationId}`,
    );
    expect(documented.toSorted()).toEqual(declared.toSorted());
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  });

  it.each(
    operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const),
  )('describes %s in valid OpenAPI', (_name, { path, operation }) => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]*$/);
    expect(operation.summary).not.toBe('');
    expect(operation.tags).toHaveLength(1);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    for (const { required } of declared) expect(required).toBe(true);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[1-5](\d\d|XX)$/);
      expect(response.description).not.toBe('');
    }
    expect(operation.responses).toHaveProperty('200');
  });

  it('has schemas that compile, without unknown keywords', () => {
    // `strictRequired` is off, because a dialect's body may require members that its schema does
    // not describe.
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    const schemas = operations.flatMap(({ operation }) => schemasOf(operation));
    expect(schemas.length).toBeGreaterThan(20);
    ajv.addVocabulary(['components']);
    const { components } = document;
    for (const schema of [...schemas, ...Object.values(components.schemas)]) {
      expect(() => ajv.compile({ ...schema, components })).not.toThrow();
    }
  });

  it('requires a key except on public routes', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ path }) => path).toSorted()).toEqual([
      '/docs',
      '/v1/gateway/public-key',
      '/v1/openapi.json',
    ]);
    const named = Object.keys(document.components.securitySchemes);
    for (const scheme of document.security) expect(named).toContain(Object.keys(scheme)[0]);
  });

  it('documents 401 and 403 wherever a key is required', () => {
    const silent = operations
      .filter(({ operation }) => operation.security?.length !== 0)
      .filter(({ operation: { responses } }) => !responses['401'] || !responses['403']);
    expect(silent).toEqual([]);
  });

  it('names its OpenAPI version', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      title: expect.any(String),
      version: expect.any(String),
      license: { identifier: 'Apache-2.0' },
    });
  });
});
