import type { HeaderParam } from '../tool/mcp-target.ts';

type Schema = Readonly<Record<string, unknown>>;

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const DEPTH_MAX = 16;

/**
 * Returns the arguments of a schema that headers mirror (`x-mcp-header`), and the schema without
 * annotations that are no keywords of JSON Schema. Returns the problem if the annotation is used as
 * the protocol forbids.
 */
export const readHeaderParams = (
  text: string,
): { parameters: string; params: readonly HeaderParam[] } | { problem: string } => {
  const params: HeaderParam[] = [];
  const problems: string[] = [];
  const schema: unknown = JSON.parse(text);
  collect(schema, [], { params, problems });
  const headers = params.map(({ header }) => header);
  if (new Set(headers).size < headers.length) problems.push(`${KEYWORD} names one header twice.`);
  const parameters = JSON.stringify(withoutExtensions(schema));
  if (countKeywords(text) > params.length) {
    problems.push(`${KEYWORD} stands where no property of the root is.`);
  }
  const [problem] = problems;
  return problem === undefined ? { parameters, params } : { problem };
};

const countKeywords = (text: string): number => text.split(`"${KEYWORD}":`).length - 1;

const collect = (
  schema: unknown,
  path: readonly string[],
  found: { params: HeaderParam[]; problems: string[] },
): void => {
  const { properties } = (isSchema(schema) ? schema : {}) as { properties?: unknown };
  if (!isSchema(properties) || path.length >= DEPTH_MAX) return;
  for (const [name, member] of Object.entries(properties)) {
    if (!isSchema(member)) continue;
    const memberPath = [...path, name];
    const header = member[KEYWORD];
    if (header !== undefined) {
      const isName = typeof header === 'string' && TOKEN.test(header);
      const param = isName ? header : name;
      found.params.push({ path: memberPath, header: `mcp-param-${param.toLowerCase()}` });
      if (!isName) {
        found.problems.push(`${KEYWORD} of ${name} is no name of a header.`);
      } else if (!PRIMITIVES.has(member.type)) {
        found.problems.push(`${KEYWORD} of ${name} needs a string, an integer or a boolean.`);
      }
    }
    collect(member, memberPath, found);
  }
};

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose values are data, in which names may begin with `x-`. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'properties', '$defs']);

const withoutExtensions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExtensions);
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('x-'))
      .map(([name, member]) => [
        name,
        DATA.has(name) ? inData(name, member) : withoutExtensions(member),
      ]),
  );
};

const inData = (name: string, value: unknown): unknown => {
  const isNamed = (name === 'properties' || name === '$defs') && isSchema(value);
  if (!isNamed) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, schema]) => [member, withoutExtensions(schema)]),
  );
};

/** Returns the headers that mirror the arguments of a call; an absent or null one has none. */
export const toParamHeaders = (
  args: object,
  params: readonly HeaderParam[],
): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const { path, header } of params) {
    const value = path.reduce<unknown>(
      (at, name) => (isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      args,
    );
    if (value !== undefined && value !== null) headers[header] = encodeHeaderValue(toText(value));
  }
  return headers;
};

/** Returns the text of a primitive value; a long number is an object that keeps its digits. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const PLAIN = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** Encodes a value that a header cannot contain as it is, as the protocol prescribes. */
export const encodeHeaderValue = (value: string): string =>
  PLAIN.test(value) && !ENCODED.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`;
