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
 * Expects a response to match the OpenAPI document for `operation`, such as `GET /v1/proofs/{id}`:
 * documented status and content type, a JSON body that matches its schema, and all documented
 * headers. If no body is documented, only its absence is checked.
 */
export type ExpectDocumented = (answer: Answer, operation: string) => void;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const createExpectDocumented = async (client: HttpClient): Promise<ExpectDocumented> => {
  const { json } = await client.send('/v1/openapi.json', { headers: {} });
  const { paths, components } = json as Openapi;
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  ajv.addFormat('date-time', INSTANT);
  // Each schema is compiled together with `components`, to which its references point; Ajv would
  // refuse the unknown keyword.
  ajv.addVocabulary(['components']);
  const compile = createCompile(ajv, components);
  return (answer, operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const { responses } = paths[path]![method.toLowerCase()]!;
    const documented = findResponse(responses, answer.status);
    expect([operation, answer.status, documented]).toEqual([
      operation,
      answer.status,
      expect.anything(),
    ]);
    if (!documented!.content) {
      const textAndType = [answer.text, answer.headers.get('content-type')];
      expect([operation, answer.status, ...textAndType]).toEqual([
        operation,
        answer.status,
        '',
        null,
      ]);
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
      const isValid = validate(answer.json);
      expect([answer.json, isValid ? null : validate.errors]).toEqual([answer.json, null]);
    }
    const missingHeaders = Object.keys(documented!.headers ?? {}).filter(
      (one) => !answer.headers.has(one),
    );
    expect([operation, answer.status, missingHeaders]).toEqual([operation, answer.status, []]);
  };
};

/** Returns a function that compiles a schema together with `components` and caches the result. */
export const createCompile = (ajv: Ajv2020, components: object) => {
  const cache = new Map<string, ValidateFunction>();
  return (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = cache.get(text) ?? ajv.compile({ ...schema, components });
    cache.set(text, validate);
    return validate;
  };
};

/**
 * Returns the documented response for the exact status, such as `404`, otherwise for its class,
 * such as `4XX`.
 */
const findResponse = (responses: Responses, status: number): Responses[string] | undefined =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
