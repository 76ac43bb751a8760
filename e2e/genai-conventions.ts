import type { SeenSpan } from './watch-spans.ts';

/**
 * OpenTelemetry's semantic conventions for generative AI, as far as Witan has such spans: tables of
 * open-telemetry/semantic-conventions-genai (Apache-2.0) at commit 06ec68e7 of 2026-10-07, schema
 * https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev, stability "development". That repository
 * has no release. Span kinds, names and requirement levels are those of model/gen-ai/spans.yaml.
 */
const SPANS: Readonly<Record<string, SpanConvention>> = {
  chat: {
    kind: 'client',
    nameBy: 'gen_ai.request.model',
    required: ['gen_ai.provider.name'],
    added: ['gen_ai.agent.name'],
    optional: {
      'gen_ai.request.stream': 'boolean',
      'gen_ai.response.finish_reasons': 'string[]',
      'gen_ai.usage.input_tokens': 'count',
      'gen_ai.usage.output_tokens': 'count',
      'gen_ai.usage.cache_read.input_tokens': 'count',
      'gen_ai.usage.cache_write.input_tokens': 'count',
      'gen_ai.usage.reasoning.output_tokens': 'count',
    },
  },
  embeddings: {
    kind: 'client',
    nameBy: 'gen_ai.request.model',
    required: ['gen_ai.provider.name'],
    added: [],
    optional: { 'gen_ai.usage.input_tokens': 'count' },
  },
  invoke_agent: {
    kind: 'internal',
    nameBy: 'gen_ai.agent.name',
    required: [],
    added: ['gen_ai.agent.id'],
    optional: {
      'gen_ai.conversation.id': 'string',
      'gen_ai.response.finish_reasons': 'string[]',
      'gen_ai.usage.input_tokens': 'count',
      'gen_ai.usage.output_tokens': 'count',
    },
  },
  execute_tool: {
    kind: 'internal',
    nameBy: 'gen_ai.tool.name',
    required: ['gen_ai.tool.name'],
    added: [],
    optional: {
      'gen_ai.agent.name': 'string',
      'gen_ai.tool.type': 'string',
    },
  },
};

/** Attributes of other conventions and of Witan. */
const OTHER_ATTRIBUTES = /^(witan\.[a-z.]+|error\.type|http\.response\.status_code)$/;

/** Counts that are part of another one. */
const SUBSETS = [
  ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.input_tokens'],
  ['gen_ai.usage.cache_write.input_tokens', 'gen_ai.usage.input_tokens'],
  ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.output_tokens'],
] as const;

type SpanConvention = {
  kind: SeenSpan['kind'];
  /** The attribute whose value follows the operation in the name of the span. */
  nameBy: string;
  required: readonly string[];
  /** Texts that the conventions define for other spans, and Witan sets on this one too. */
  added: readonly string[];
  /** Every other attribute that a span may have; none of them is content. */
  optional: Readonly<Record<string, keyof typeof TYPES>>;
};

const TYPES = {
  string: (value: unknown) => typeof value === 'string' && value !== '',
  boolean: (value: unknown) => typeof value === 'boolean',
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  'string[]': (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'),
};

/** A span that a rule of the conventions applies to. */
export type GenAiSpan = Pick<SeenSpan, 'name' | 'kind' | 'attributes' | 'hasFailed'>;

export const isGenAiSpan = ({ attributes }: GenAiSpan): boolean =>
  Object.keys(attributes).some((name) => name.startsWith('gen_ai.'));

/** Returns how a span differs from the conventions. */
export const findDeviations = (span: GenAiSpan): string[] => {
  const { name, kind, attributes, hasFailed } = span;
  const operation = String(attributes['gen_ai.operation.name']);
  const convention = SPANS[operation];
  if (!convention) return [`the operation ${operation} is not one of the conventions`];
  const subject = attributes[convention.nameBy];
  const wantedName = subject === undefined ? operation : `${operation} ${subject as string}`;
  return [
    ...(name === wantedName ? [] : [`the name is ${name}, not ${wantedName}`]),
    ...(kind === convention.kind ? [] : [`the kind is ${kind}, not ${convention.kind}`]),
    ...convention.required
      .filter((one) => attributes[one] === undefined)
      .map((one) => `${one} is missing`),
    ...(hasFailed && attributes['error.type'] === undefined ? ['error.type is missing'] : []),
    ...Object.entries(attributes).flatMap(([one, value]) => checkAttribute(convention, one, value)),
    ...SUBSETS.filter(([part, whole]) => Number(attributes[part]) > Number(attributes[whole])).map(
      ([part, whole]) => `${part} is more than ${whole}`,
    ),
  ];
};

const checkAttribute = (convention: SpanConvention, name: string, value: unknown): string[] => {
  if (OTHER_ATTRIBUTES.test(name)) return [];
  const { nameBy, required, added, optional } = convention;
  const texts = ['gen_ai.operation.name', nameBy, ...required, ...added];
  const type = texts.includes(name) ? 'string' : optional[name];
  if (!type) return [`${name} is not an attribute of this span`];
  return TYPES[type](value) ? [] : [`${name} is no ${type}`];
};
