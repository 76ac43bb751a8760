import { readFile, writeFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { createCompile, createExpectDocumented } from '../expect-documented.ts';
import { openListingServer } from '../mcp/open-listing-server.ts';
import type { ListingServer } from '../mcp/open-listing-server.ts';
import { openDocumentedApi } from '../open-documented-api.ts';
import type { DocumentedApi } from '../open-documented-api.ts';
import { answerAsModels } from './play-models.ts';
import { recordTour } from './record-tour.ts';
import type { Recorded } from './record-tour.ts';
import { shapeOf } from './shape-of.ts';
import { takeTour } from './take-tour.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = `${ROOT}apps/api-gateway/src/docs/openapi-examples.json`;
/**
 * Not empty in `WITAN_RECORD=1 npm test -- e2e/reference`, which replaces the reference's examples
 * with the responses of this run.
 */
const { WITAN_RECORD = '' } = process.env;

type Schema = Record<string, unknown>;
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Content = Record<string, Media>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
type Document = {
  info: { description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
  components: { schemas: Record<string, Schema> };
};

describe('the OpenAPI document of a running system', () => {
  let api: DocumentedApi;
  let receiver: Receiver;
  let mcpServer: ListingServer;
  let text: string;
  let document: Document;
  let operations: Operation[];
  let recorded: Recorded;

  beforeAll(async () => {
    receiver = await openReceiver();
    mcpServer = await openListingServer();
    mcpServer.tools.push({
      name: 'search',
      description: 'Finds tickets of our support',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
    });
    api = await openDocumentedApi({
      transport: 'in-process',
      fallback: answerAsModels,
      env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
    });
    const answer = await api.fixture.client.send('/v1/openapi.json', { headers: {} });
    text = answer.text;
    document = answer.json as Document;
    operations = Object.values(document.paths).flatMap((one) => Object.values(one));
    const caller = await api.keys.makeKey(['*', 'operator']);
    const tour = recordTour({
      caller,
      paths: document.paths,
      expectDocumented: await createExpectDocumented(api.fixture.client),
    });
    const receiverUrl = `http://127.0.0.1:${receiver.port}`;
    await takeTour({ call: tour.call, caller, receiverUrl, mcpUrl: mcpServer.url });
    recorded = tour.recorded();
    if (WITAN_RECORD !== '') {
      await writeFile(EXAMPLES, `${JSON.stringify(recorded, undefined, 2)}\n`);
    }
  }, 180_000);
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await mcpServer[Symbol.asyncDispose]();
  });

  it('passes a linter with all recommended rules', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // The base URL in the document is relative, so the rule about example domains does not apply.
      rules: {
        'no-server-example.com': 'off',
        'operation-4xx-response': 'error',
        // Responses of providers may contain members that the document does not describe.
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      },
    });
    const problems = await lintFromString({
      source: text,
      absoluteRef: 'openapi.json',
      config,
    });
    const findings = problems.map(({ ruleId, message, location }) =>
      [ruleId, message, location[0]?.pointer].join(' '),
    );
    expect(findings).toEqual([]);
  });

  it('describes every operation correctly in a tour of the API', () => {
    const called = Object.keys(recorded).toSorted();
    expect(called).toEqual(operations.map(({ operationId }) => operationId).toSorted());
  });

  it('has recorded examples that match the system', async () => {
    const examples = JSON.parse(await readFile(EXAMPLES, 'utf8')) as Recorded;
    expect(shapeOf(examples)).toEqual(shapeOf(recorded));
  });

  it('has a valid example for every JSON body', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const compile = createCompile(ajv, document.components);
    const check = ({ schema, example }: Media, where: string): void => {
      expect([where, example]).toEqual([where, expect.anything()]);
      const validate = compile(schema);
      const isValid = validate(example);
      expect([where, isValid ? null : validate.errors]).toEqual([where, null]);
    };
    const type = 'application/json';
    for (const { operationId, requestBody, responses } of operations) {
      const requestMedia = requestBody?.content[type];
      const needed = (requestMedia && resolve(requestMedia.schema).required) as
        | string[]
        | undefined;
      if (requestMedia && (needed || requestMedia.example))
        check(requestMedia, `${operationId} request`);
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const { [type]: body } = content;
        const where = `${operationId} ${status}`;
        if (body && /^20[01]/.test(status)) check(body, where);
        for (const { value } of Object.values(body?.examples ?? {})) {
          check({ schema: body!.schema, example: value }, where);
        }
      }
    }
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      check(post.requestBody.content[type]!, name);
    }
  });

  it('states purpose, scopes and errors of every operation', () => {
    const tagNames = document.tags.map(({ name }) => name);
    for (const { operationId, summary, description, tags, responses } of operations) {
      expect([operationId, summary.length > 5, description]).toEqual([
        operationId,
        true,
        expect.stringMatching(/Needs (?:no key|a session|a key with the scope)/),
      ]);
      expect(tagNames).toContain(tags[0]);
      expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(true);
    }
    const usedTags = new Set(operations.map(({ tags }) => tags[0]));
    expect(tagNames.filter((name) => !usedTags.has(name))).toEqual([]);
  });

  it('explains every error code of every service', async () => {
    const sources = globSync(
      [
        'apps/{agents,api-gateway,ledger,llm-gateway,notifier,simulation}/src/**/*.ts',
        'libs/{dialects,service-kit,contracts}/src/**/*.ts',
      ],
      { cwd: ROOT },
    ).filter((path) => !path.endsWith('.test.ts') && !path.includes('/gen/'));
    const codes = new Set<string>();
    for (const path of sources) {
      const source = await readFile(`${ROOT}${path}`, 'utf8');
      for (const [, code] of source.matchAll(/\bcode: '([a-z]+(?:_[a-z]+)+)'/g)) codes.add(code!);
    }
    const unknown = [...codes].filter(
      (code) => !INTERNAL.has(code) && !document.info.description.includes(`\`${code}\``),
    );
    expect(unknown.toSorted()).toEqual([]);
  });

  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    typeof $ref === 'string'
      ? (document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema)
      : schema;
});

/**
 * Codes in the sources that the reference need not document: errors used only between services, and
 * codes of simulation events, which the search pattern also matches.
 */
const INTERNAL = new Set([
  'proof_id_open',
  'proof_id_settled',
  'proof_id_released',
  'panel_key_reused',
  'price_war',
  'cyber_incident',
]);
