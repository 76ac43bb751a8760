import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const FOLDER = new URL('../../../docs/format/', import.meta.url);
const SUFFIX = '.schema.json';

const ajv = new Ajv2020({ strictTypes: false });
for (const name of readdirSync(FOLDER)) {
  ajv.addSchema(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as object, name);
}

export type SchemaName =
  | 'certificate'
  | 'chain-header'
  | 'chain'
  | 'public-keys'
  | 'bundle'
  | 'epoch-line';

/** Returns whether a value matches a schema of docs/format. */
export function matches(name: SchemaName, value: unknown): boolean {
  return ajv.getSchema(`${name}${SUFFIX}`)!(value) as boolean;
}
