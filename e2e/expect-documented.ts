import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, HttpClient } from './http-client.ts';

type Content = Readonly<Record<string, { schema: object }>>;
type Responses = Readonly<Record<string, { content?: Content; headers?: object }>>;
type Openapi = {
  paths: Readonly<Record<string, Record<string, { responses: Responses }>>>;
  components: object;
};

/**
 * Checks a response against the OpenAPI document: status and content type are documented for
 * `operation` (`GET /v1/proofs/{id}`), a JSON body matches its schema, and documented headers are
 * present. A response without a documented body must be empty.
 */
export type ExpectDocumented = (answer: Answer, operation: string) => void;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const createExpectDocumented = async (client: HttpClient): Promise<ExpectDocumented> => {
  const { json } = await client.send('/v1/openapi.json', { headers: {} });
  const { paths, components } = json as Openapi;
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  ajv.addFormat('date-time', INSTANT);
  // The schemas contain references into `components`.
  ajv.addVocabulary(['components']);
  const compile = createCompile(ajv, components);
  return (answer, operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const { responses } = paths[path]![method.toLowerCase()]!;
    const documented = find(responses, answer.status);
    expect([operation, answer.status, documented]).toEqual([
      operation,
      answer.status,
      expect.anything(),
    ]);
    if (!documented!.content) {
      const sent = [answer.text, answer.headers.get('content-type')];
      expect([operation, answer.status, ...sent]).toEqual([operation, answer.status, '', null]);
      return;
    }
    const [contentType = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const content = documented!.content[contentType];
    expect([operation, answer.status, contentType, content]).toEqual([
      operation,
      answer.status,
      contentType,
      expect.anything(),
    ]);
    if (contentType === 'application/json') {
      const validate = compile(content!.schema);
      const fits = validate(answer.json);
      expect([answer.json, fits ? null : validate.errors]).toEqual([answer.json, null]);
    }
    const missing = Object.keys(documented!.headers ?? {}).filter(
      (one) => !answer.headers.has(one),
    );
    expect([operation, answer.status, missing]).toEqual([operation, answer.status, []]);
  };
};

/** Returns a function that compiles each schema once, with its references. */
export const createCompile = (ajv: Ajv2020, components: object) => {
  const compiled = new Map<string, ValidateFunction>();
  return (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? ajv.compile({ ...schema, components });
    compiled.set(text, known);
    return known;
  };
};

/** Returns the entry of the exact status, such as `404`, otherwise of its class, `4XX`. */
const find = (responses: Responses, status: number): Responses[string] | undefined =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
