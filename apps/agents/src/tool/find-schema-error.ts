import type { SchemaError } from './tool.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Names of a schema's keywords by the kind of their value: a schema, a list of schemas, schemas by
 * name, or something else.
 */
type Keywords = {
  schema: ReadonlySet<string>;
  schemas: ReadonlySet<string>;
  named: ReadonlySet<string>;
  other: ReadonlySet<string>;
};

const toSet = (...texts: string[]): ReadonlySet<string> => new Set(texts.join(' ').split(' '));

const SCHEMA = 'additionalProperties contains else if items not propertyNames then';
const SCHEMAS = 'allOf anyOf oneOf';
const SCHEMA_MAP_KEYWORDS = '$defs definitions patternProperties properties';
const PLAIN_KEYWORDS =
  '$comment $ref $schema const contentEncoding contentMediaType default deprecated description ' +
  'enum examples exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties ' +
  'maximum minItems minLength minProperties minimum multipleOf nullable pattern readOnly ' +
  'required title type uniqueItems writeOnly';

const DRAFTS: readonly { schema: RegExp; keywords: Keywords }[] = [
  {
    schema: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    keywords: {
      schema: toSet(SCHEMA, 'contentSchema unevaluatedItems unevaluatedProperties'),
      schemas: toSet(SCHEMAS, 'prefixItems'),
      named: toSet(SCHEMA_MAP_KEYWORDS, 'dependentSchemas'),
      other: toSet(PLAIN_KEYWORDS, 'dependentRequired maxContains minContains'),
    },
  },
  {
    schema: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
    keywords: {
      schema: toSet(SCHEMA, 'additionalItems'),
      schemas: toSet(SCHEMAS, 'items'),
      named: toSet(SCHEMA_MAP_KEYWORDS, 'dependencies'),
      other: toSet(PLAIN_KEYWORDS),
    },
  },
];

export const isDraft07 = ({ $schema }: JsonObject): boolean =>
  typeof $schema === 'string' && DRAFTS[1]!.schema.test($schema);

/**
 * Returns the first error that the compiler does not report or cannot locate, for example an
 * unknown keyword, a reference that leaves the document or does not resolve, or an invalid pattern.
 * Checks names only where a schema is expected, so that a property may have a keyword's name.
 */
export const findSchemaError = (root: JsonObject): SchemaError | undefined => {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = root;
  const draft = DRAFTS.find(({ schema }) => typeof $schema === 'string' && schema.test($schema));
  if (!draft) return { path: '$schema', message: 'must be that of draft 2020-12 or draft-07' };
  return findInSchema(root, '', { root, keywords: draft.keywords });
};

type Context = { root: JsonObject; keywords: Keywords };

const findInSchema = (value: unknown, path: string, context: Context): SchemaError | undefined => {
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const memberPath = join(path, name);
    const schemaError =
      findInKeyword(name, member, memberPath, context.keywords) ??
      findInSubschemas(name, member, memberPath, context);
    if (schemaError) return schemaError;
  }
  return findIneffectiveKeyword(value, path) ?? findInReference(value, join(path, '$ref'), context);
};

/**
 * Returns an error for a keyword that has no effect without another, missing one, or for an empty
 * `enum`, which no value satisfies.
 */
const findIneffectiveKeyword = (schema: JsonObject, path: string): SchemaError | undefined => {
  const incomplete = Object.entries(REQUIRED_COMPANIONS).find(
    ([name, needed]) => Object.hasOwn(schema, name) && !Object.hasOwn(schema, needed),
  );
  if (incomplete) {
    return { path: join(path, incomplete[0]), message: `means nothing without ${incomplete[1]}` };
  }
  const { enum: values } = schema;
  const isEmpty = Array.isArray(values) && values.length === 0;
  return isEmpty ? { path: join(path, 'enum'), message: 'lets nothing pass' } : undefined;
};

const REQUIRED_COMPANIONS = {
  then: 'if',
  else: 'if',
  nullable: 'type',
  minContains: 'contains',
  maxContains: 'contains',
} as const;

const findInKeyword = (
  name: string,
  member: unknown,
  path: string,
  keywords: Keywords,
): SchemaError | undefined => {
  if (UNSUPPORTED_KEYWORDS.has(name)) return { path, message: 'is not supported here' };
  if (!Object.values(keywords).some((names) => names.has(name))) {
    return { path, message: 'is no keyword of JSON Schema' };
  }
  if (name === '$schema' && path !== '$schema') {
    return { path, message: 'may stand at the root only' };
  }
  if (keywords.named.has(name) && isObject(member) && Object.hasOwn(member, IGNORED_NAME)) {
    return { path: join(path, IGNORED_NAME), message: 'is a name that is not supported here' };
  }
  if (name === 'pattern' && typeof member === 'string') return findInPattern(member, path);
  if (name !== 'patternProperties' || !isObject(member)) return undefined;
  const patterns = Object.keys(member).map((item) => findInPattern(item, join(path, item)));
  return patterns.find((schemaError) => schemaError !== undefined);
};

/**
 * Property name that the compiler silently ignores, so that any value of the property would be
 * valid.
 */
const IGNORED_NAME = '__proto__';

/** Keywords that are not supported, most of them for references between documents. */
const UNSUPPORTED_KEYWORDS = toSet(
  '$anchor $async $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $vocabulary id',
);

const findInPattern = (pattern: string, path: string): SchemaError | undefined => {
  try {
    void new RegExp(pattern, 'u');
    return undefined;
  } catch {
    return { path, message: 'is no regular expression (ECMA-262, with the flag u)' };
  }
};

const findInSubschemas = (
  name: string,
  member: unknown,
  path: string,
  context: Context,
): SchemaError | undefined => {
  const { schema, schemas, named } = context.keywords;
  if (schemas.has(name) && Array.isArray(member)) {
    return firstError(
      member.map((item, index) => [`${path}[${index}]`, item] as const),
      context,
    );
  }
  if (named.has(name) && isObject(member)) {
    const members = Object.entries(member);
    return firstError(
      members.map(([key, one]) => [join(path, key), one] as const),
      context,
    );
  }
  return schema.has(name) ? findInSchema(member, path, context) : undefined;
};

const firstError = (
  members: readonly (readonly [path: string, value: unknown])[],
  context: Context,
): SchemaError | undefined => {
  for (const [path, value] of members) {
    const schemaError = findInSchema(value, path, context);
    if (schemaError) return schemaError;
  }
  return undefined;
};

const findInReference = (
  { $ref: reference = '#' }: JsonObject,
  path: string,
  { root }: Context,
): SchemaError | undefined => {
  if (reference === '#' || typeof reference !== 'string') return undefined;
  if (!reference.startsWith('#/')) {
    return { path, message: 'must lead to a place in this schema, as #/$defs/name' };
  }
  const target = readPointer(root, reference);
  if (typeof target === 'boolean' || isObject(target)) return undefined;
  return { path, message: 'leads to no schema' };
};

const readPointer = (root: JsonObject, reference: string): unknown => {
  try {
    const steps = decodeURIComponent(reference.slice(2)).split('/');
    return steps
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(
        (value, step) =>
          typeof value === 'object' && value !== null && Object.hasOwn(value, step)
            ? (value as JsonObject)[step]
            : undefined,
        root,
      );
  } catch {
    // The percent encoding of the reference is invalid.
    return undefined;
  }
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
