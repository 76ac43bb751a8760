import type { RoutingSignals } from '../dialect.ts';
import { asList, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { isResponsesSignature } from '../neutral/provider-signature.ts';

/**
 * Maximum nesting of values whose length is counted; the api-gateway refuses bodies that are nested
 * deeper.
 */
const MAX_DEPTH = 64;
const THINKING_TYPES: readonly unknown[] = ['enabled', 'adaptive', 'between_tools'];
const MEDIA: readonly unknown[] = ['image', 'document'];

type Turn = { role: string; blocks: JsonObject[] };

/** Returns the routing signals of a parsed body. Members of a wrong type count as absent. */
export const readSignals = (body: JsonObject): RoutingSignals => {
  const { turns, system } = readTurns(body);
  const userTexts = turns
    .filter(({ role }) => role === 'user')
    .map(({ blocks }) => textOf(blocks))
    .filter((text) => text !== '');
  const config = asObject(body.output_config);
  const tools = asList(body.tools);
  const format = asObject(config?.format) ?? asObject(body.output_format);
  const signed = turns
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ blocks }) => blocks.filter(isSigned));
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText: textOf(system),
    promptLength:
      lengthOf(body.system) +
      lengthOf(body.messages) +
      (tools.length > 0 ? jsonLengthOf(tools) : 0),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result') ?? false,
    hasSignedReasoning: signed.length > 0,
    ...(signed.some(({ signature }) => isResponsesSignature(asText(signature))) && {
      signingDialect: 'responses',
    }),
    wantsReasoning:
      THINKING_TYPES.includes(asObject(body.thinking)?.type) || asText(config?.effort) !== '',
    wantsJson: format !== undefined,
    mediaCount: turns.reduce((sum, { blocks }) => sum + countMedia(blocks), 0),
  };
};

const readTurns = (body: JsonObject): { turns: Turn[]; system: JsonObject[] } => {
  const system = toBlocks(body.system);
  const turns: Turn[] = [];
  for (const item of asList(body.messages)) {
    const message = asObject(item);
    const role = asText(message?.role);
    const blocks = toBlocks(message?.content);
    const last = turns.at(-1);
    const target = role === 'system' ? system : last?.role === role ? last.blocks : undefined;
    if (!target) turns.push({ role, blocks });
    else for (const block of blocks) target.push(block);
  }
  return { turns, system };
};

const toBlocks = (content: unknown): JsonObject[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content)
    .map(asObject)
    .filter((block) => block !== undefined);
};

const textOf = (blocks: readonly JsonObject[]): string =>
  blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => asText(text))
    .filter((text) => text !== '')
    .join('\n');

const isSigned = (block: JsonObject): boolean =>
  block.type === 'redacted_thinking' ||
  (block.type === 'thinking' && asText(block.signature) !== '');

const countMedia = (blocks: readonly JsonObject[]): number =>
  blocks.reduce((sum, block) => {
    if (block.type === 'tool_result') return sum + countMedia(toBlocks(block.content));
    const isMedia = MEDIA.includes(block.type) && asObject(block.source)?.type !== 'text';
    return isMedia ? sum + 1 : sum;
  }, 0);

const NOT_TEXT: readonly string[] = [
  'type',
  'role',
  'id',
  'tool_use_id',
  'signature',
  'media_type',
];

const lengthOf = (value: unknown, depth = 0): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + lengthOf(item, depth + 1), 0);
  }
  const object = value as JsonObject;
  if (object.type === 'base64' || object.type === 'redacted_thinking') return 0;
  let sum = 0;
  for (const key of Object.keys(object)) {
    if (key === 'input') sum += jsonLengthOf(object[key], depth + 1);
    else if (!NOT_TEXT.includes(key)) sum += lengthOf(object[key], depth + 1);
  }
  return sum;
};

const jsonLengthOf = (value: unknown, depth = 0): number => {
  if (typeof value === 'string') return value.length + QUOTES;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (depth > MAX_DEPTH) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) =>
      sum + jsonLengthOf(item, depth + 1) + (Array.isArray(value) ? 1 : key.length + QUOTES + 2),
    2,
  );
};

const QUOTES = 2;
