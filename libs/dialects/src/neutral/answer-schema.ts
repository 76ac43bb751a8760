import { create } from '@bufbuild/protobuf';
import { ResponseFormatSchema, TextPartSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import { OPENAI_MODEL } from '../chat-completions/request.ts';
import { asList, asNumber, asObject, asText, parseObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/** Keywords that describe the value of a node by further schemas; such nodes are not closed. */
const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'];
/** Constraints that OpenAI refuses in a strict schema. */
const LENGTHS: ReadonlySet<string> = new Set(['minLength', 'maxLength']);

/**
 * Returns the schema with `additionalProperties: false` in each object that names its properties,
 * requires all of them and does not mention others. Providers enforce only such objects.
 */
export const closeSchema = (schema: JsonObject): JsonObject =>
  mapNodes(schema, (node) => {
    const names = Object.keys(asObject(node.properties) ?? {});
    const required = asList(node.required);
    const isOpen =
      node.additionalProperties !== undefined || COMBINED.some((keyword) => keyword in node);
    return isOpen || names.length === 0 || !names.every((name) => required.includes(name))
      ? node
      : { ...node, additionalProperties: false };
  });

/** Returns the schema without limits of text length, which OpenAI refuses in a strict schema. */
export const withoutLengths = (schema: JsonObject): JsonObject =>
  mapNodes(schema, (node) =>
    Object.fromEntries(Object.entries(node).filter(([keyword]) => !LENGTHS.has(keyword))),
  );

const mapNodes = (node: JsonObject, map: (node: JsonObject) => JsonObject): JsonObject => {
  const mapNode = (value: unknown): unknown => {
    const child = asObject(value);
    return child ? mapNodes(child, map) : value;
  };
  const properties = asObject(node.properties);
  return map({
    ...node,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [name, mapNode(value)]),
      ),
    }),
    ...('items' in node && { items: mapNode(node.items) }),
  });
};

/**
 * Returns a conversation for a provider that does not accept JSON Schemas: it requests any JSON
 * object and has the schema in its instructions. Returns other conversations unchanged.
 */
export const writeSchema = (conversation: Conversation): Conversation => {
  const schema = schemaOf(conversation);
  if (schema === undefined) return conversation;
  const responseFormat = create(ResponseFormatSchema, { kind: 'json_object' });
  return addInstruction({ ...conversation, responseFormat }, `${SHAPE}\n${schema}`);
};

const SHAPE = 'The object has this shape:';

/**
 * Returns a conversation whose instructions list what its JSON Schema says about each member. Most
 * runtimes only use the schema to reject wrong tokens, so that their models never see the
 * descriptions in it. OpenAI shows it to its models. Returns a conversation for these, and one
 * without such a schema, unchanged.
 */
export const outlineSchema = (conversation: Conversation, model: string): Conversation => {
  if (OPENAI_MODEL.test(model)) return conversation;
  const schema = parseObject(schemaOf(conversation) ?? '');
  const lines = schema ? outline(schema, '') : [];
  return lines.length === 0
    ? conversation
    : addInstruction(conversation, ['Its members:', ...lines].join('\n'));
};

const outline = (schema: JsonObject, indent: string): string[] =>
  Object.entries(asObject(schema.properties) ?? {}).flatMap(([name, value]) => {
    const node = asObject(value) ?? {};
    const item = asObject(node.items) ?? {};
    const inner = [node, item].flatMap((child) => outline(child, `${indent}  `));
    const about = [asText(node.description), describeValues(node), describeValues(item)];
    const text = about.filter(Boolean).join('; ');
    if (text === '' && inner.length === 0) return [];
    return [`${indent}- ${name}${text === '' ? '' : `: ${text}`}`, ...inner];
  });

const describeValues = ({ enum: options, minimum, maximum }: JsonObject): string => {
  if (Array.isArray(options)) return options.map((option) => JSON.stringify(option)).join(' or ');
  const [least, most] = [asNumber(minimum), asNumber(maximum)];
  return least === undefined || most === undefined ? '' : `${least} to ${most}`;
};

const schemaOf = ({ responseFormat }: Conversation): string | undefined =>
  responseFormat?.kind === 'json_schema' && responseFormat.schema !== ''
    ? responseFormat.schema
    : undefined;

const addInstruction = (conversation: Conversation, text: string): Conversation => ({
  ...conversation,
  system: [...conversation.system, create(TextPartSchema, { text })],
});
