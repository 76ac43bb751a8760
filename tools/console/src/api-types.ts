import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';

const HEADER = `// Generated from the OpenAPI document by \`npm run console:types\`; do not edit.\n`;

/** Returns the TypeScript types of an OpenAPI document, without examples and descriptions. */
export const renderApiTypes = async (document: object): Promise<string> => {
  const nodes = await openapiTypescript(withoutTexts(document) as OpenAPI3);
  return HEADER + astToString(nodes);
};

/** Members that do not change the types, and would make the generated file ten times longer. */
const TEXTS = new Set(['example', 'examples', 'x-example']);

const withoutTexts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, member]) =>
          !TEXTS.has(name) && !(name === 'description' && typeof member === 'string'),
      )
      .map(([name, member]) => [name, withoutTexts(member)]),
  );
};
