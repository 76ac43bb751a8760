import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const FOLDER = new URL('../docs/format/', import.meta.url);

const ajv = new Ajv2020({ strictTypes: false });
for (const name of readdirSync(FOLDER)) {
  ajv.addSchema(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as object, name);
}

/** Schemas of docs/format, by the path whose successful responses match them. */
const SCHEMA_OF: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/gateway\/public-key$/, 'public-keys'],
  [/^\/v1\/proofs\/pf_\w+$/, 'certificate'],
  [/^\/v1\/proofs\/pf_\w+\/bundle$/, 'bundle'],
];

type Answer = { status: number; text: string; headers: Headers };

/** Expects what a gateway shows of certificates, chains and the log to match docs/format. */
export const expectFormat = (path: string, { status, text, headers }: Answer): void => {
  if (status !== 200) return;
  const [route = ''] = path.split('?');
  const isDocument = headers.get('content-type')?.startsWith('application/json');
  if (route === '/v1/proofs/export' && isDocument) return expectMatch('chain', text);
  const lines = text.split('\n').filter((line) => line !== '');
  if (route === '/v1/proofs/export') {
    for (const [i, line] of lines.entries()) {
      expectMatch(i === 0 ? 'chain-header' : 'certificate', line);
    }
  } else if (route === '/v1/proofs/epochs') {
    for (const line of lines) expectMatch('epoch-line', line);
  } else if (route === '/v1/proofs') {
    const { proofs } = JSON.parse(text) as { proofs: unknown[] };
    for (const proof of proofs) expectMatch('certificate', JSON.stringify(proof));
  } else {
    const schema = SCHEMA_OF.find(([pattern]) => pattern.test(route))?.[1];
    if (schema !== undefined) expectMatch(schema, text);
  }
};

const expectMatch = (schema: string, text: string): void => {
  const validate = ajv.getSchema(`${schema}.schema.json`)!;
  const isMatch = validate(JSON.parse(text));
  if (isMatch) return;
  // Also used outside of tests, where there is no expect.
  throw new Error(`${text} does not match ${schema}: ${JSON.stringify(validate.errors)}`);
};
