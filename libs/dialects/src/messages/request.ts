import { isChosenByGateway } from '../address/read-model-address.ts';
import type {
  EgressEdits,
  EgressTarget,
  LeafPath,
  RequestLeaf,
  RequestSummary,
  RoutingSignals,
} from '../dialect.ts';
import { editMembers, readMembers } from '../json/json-text.ts';
import type { MemberEdits } from '../json/json-text.ts';
import { asList, asNumber, asObject, asText, valueAt } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { isResponsesSignature } from '../neutral/provider-signature.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';
import { acceptsSampling, reasonsByDefault } from './model-limits.ts';

const MIN_THINKING_TOKENS = 1024;
/**
 * Largest share of a reduced output limit that thinking may use, so that tokens remain for the
 * answer; the minimum budget may be a larger share.
 */
const THINKING_SHARE = 0.75;

/**
 * Returns the edits that set the model, reduce the output limit to the maximum, and reduce a
 * thinking budget that no longer fits. For a model that the gateway chose, the limit is first
 * raised by the reasoning allowance if the model reasons by default and the client set no thinking
 * budget, and sampling parameters that the model refuses are removed.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const edits: Record<string, MemberEdits[string]> = {};
  if (summary.model !== target.model) edits.model = JSON.stringify(target.model);
  const isAdapted = isChosenByGateway(summary.model, target.model);
  const dropped = isAdapted && !acceptsSampling(target.model) ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  const limit = summary.outputLimits.max_tokens;
  if (limit === undefined) return { edits, dropped, outputTokens: undefined };
  const hasAllowance =
    isAdapted && summary.thinkingBudget === undefined && reasonsByDefault(target.model);
  const allowance = hasAllowance ? reasoningAllowance(summary.reasoningEffort) : 0;
  const outputTokens = Math.min(limit + allowance, target.maxOutputTokens);
  if (outputTokens !== limit) edits.max_tokens = String(outputTokens);
  const thinking = toThinkingEdit(summary.thinkingBudget, outputTokens);
  if (outputTokens < limit && thinking !== undefined) edits.thinking = thinking;
  return { edits, dropped, outputTokens };
};

/**
 * Returns an edit that reduces the thinking budget below the output limit; undefined if it fits
 * already. If the limit is too small for any budget, thinking is disabled, because providers refuse
 * a budget below their minimum.
 */
const toThinkingEdit = (
  budget: number | undefined,
  limit: number,
): string | MemberEdits | undefined => {
  if (budget === undefined) return undefined;
  if (limit <= MIN_THINKING_TOKENS) return '{"type":"disabled"}';
  const maxBudget = Math.max(MIN_THINKING_TOKENS, Math.floor(limit * THINKING_SHARE));
  return budget <= maxBudget ? undefined : { budget_tokens: String(maxBudget) };
};

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

export const readRequest = (body: JsonObject): RequestSummary => {
  const limit = asNumber(body.max_tokens);
  const thinking = asObject(body.thinking);
  const budget = thinking?.type === 'enabled' ? asNumber(thinking.budget_tokens) : undefined;
  return {
    model: asText(body.model),
    streamed: body.stream === true,
    wantsUsage: true,
    choices: 1,
    samplingNames: SAMPLING.filter((name) => body[name] != null),
    reasoningEffort: asText(asObject(body.output_config)?.effort),
    outputLimits: limit === undefined ? {} : { max_tokens: limit },
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
};

/**
 * Appends a preamble to `system` in the JSON text of a body. A text there becomes a list of blocks;
 * a blank or missing `system` becomes the preamble. The client's other members are unchanged. Of
 * duplicate members the last one counts, because parsers use that one.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  if (preamble === '') return source;
  const member = readMembers(source).findLast(({ key }) => key === 'system');
  const system = member === undefined ? 'null' : source.slice(member.start, member.end);
  return editMembers(source, { system: appendTo(system, preamble) });
};

const appendTo = (system: string, preamble: string): string => {
  const text = JSON.stringify(preamble);
  if (system === 'null' || isBlankText(system)) return text;
  const block = `{"type":"text","text":${text}}`;
  if (system.startsWith('"')) return `[{"type":"text","text":${system}},${block}]`;
  // `system` has an invalid type: its value is preserved, and the provider refuses the request.
  if (!system.startsWith('[')) return `[${system},${block}]`;
  const close = system.lastIndexOf(']');
  const separator = /^\[\s*\]$/.test(system) ? '' : ',';
  return `${system.slice(0, close)}${separator}${block}]`;
};

const isBlankText = (system: string): boolean =>
  system.startsWith('"') && (JSON.parse(system) as string).trim() === '';

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

const FIXED_MEMBERS = new Set<unknown>([
  ...['model', 'service_tier', 'tool_choice', 'thinking', 'container', 'mcp_servers', 'betas'],
  ...['inference_geo', 'speed', 'cache_control', 'billing_policy', 'diagnostics', 'thread'],
  ...['fallback_credit_token', 'user_profile_id', 'workspace_id'],
  // Members that control routing in OpenRouter and other gateways.
  ...['provider', 'models', 'route', 'transforms'],
]);
const MESSAGE_KEYS = new Set<unknown>(['role', 'type', 'id', 'clear_at', 'cache_control']);
const OUTPUT_KEYS = new Set<unknown>(['type', 'effort']);

export const toRequestLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [member] = path;
  const key = path.at(-1);
  switch (member) {
    case 'system':
      return toBlockLeaf(path, 1, body);
    case 'messages':
      if (path[2] === 'content') return toBlockLeaf(path, 3, body);
      return fixedIf(MESSAGE_KEYS.has(path[2]) || isOutputLeaf(path[2], key));
    case 'tools':
      return toBlockLeaf(path, 1, body);
    case 'output_config':
    case 'output_format': {
      const schema = path.indexOf('schema');
      return schema < 0 ? fixedIf(OUTPUT_KEYS.has(key)) : toSchemaLeaf(path, schema + 1);
    }
    case 'context_management':
    case 'compaction':
      return fixedIf(key !== 'instructions');
    case 'fallbacks':
      if (path.length < 3) return 'fixed';
      return toRequestLeaf(path.slice(2), asObject(valueAt(body, path, 2)) ?? {});
    default:
      return fixedIf(FIXED_MEMBERS.has(member));
  }
};

const isOutputLeaf = (member: unknown, key: unknown): boolean =>
  member === 'output_config' && OUTPUT_KEYS.has(key);

const fixedIf = (isFixedLeaf: boolean): RequestLeaf => (isFixedLeaf ? 'fixed' : 'text');

const BLOCK_KEYS = new Set<unknown>([
  ...['type', 'id', 'tool_use_id', 'tab_id', 'download_id', 'caller', 'cache_control'],
  ...['tool_name', 'toolset_name', 'server_name', 'mcp_server_name'],
  ...['error_code', 'stop_reason', 'media_type', 'file_type', 'retrieved_at', 'transformations'],
]);

const SIGNED_KEYS = new Set<unknown>([
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout'],
]);

const TOOL_KEYS = new Set<unknown>([
  ...['name', 'model', 'caching', 'allowed_callers', 'allowed_domains', 'blocked_domains'],
  ...['response_inclusion', 'country', 'timezone'],
]);

const KEYS_OF_TYPE: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['tool_use', ['name']],
  ['server_tool_use', ['name']],
  ['mcp_tool_use', ['name']],
  ['fallback', ['from', 'to', 'trigger']],
]);

const TOOL_MEMBERS = new Set<unknown>(['tools', 'tool']);

const MEDIA_KEYS = new Set<unknown>(['data', 'url', 'file_id']);

/**
 * Classifies a leaf of content blocks, which may contain sources, results, tools and further
 * blocks. From `path[from]` on, the first key that has a kind other than text decides.
 */
export const toBlockLeaf = (path: LeafPath, from: number, body: JsonObject): RequestLeaf => {
  let value = valueAt(body, path, from);
  let isTool = TOOL_MEMBERS.has(path[from - 1]);
  for (let index = from; index < path.length; index += 1) {
    const key = path[index]!;
    const parent = asObject(value);
    if (parent) {
      // Arguments of a tool are arbitrary data of the client, so their keys have no special
      // meaning.
      if (key === 'input' || (key === 'input_examples' && isTool)) return 'data';
      if (key === 'input_schema') return toSchemaLeaf(path, index + 1);
      if (isMedia(parent, key, path[index - 1])) return 'media';
      if (isFixed(parent, key) || (isTool && TOOL_KEYS.has(key))) return 'fixed';
      if (isSignedMember(parent, key)) return 'signed';
      isTool ||= TOOL_MEMBERS.has(key);
    }
    value = valueAt(value, [key], 1);
  }
  return 'text';
};

const isMedia = (parent: JsonObject, key: unknown, parentKey: unknown): boolean => {
  if (parentKey === 'source') return MEDIA_KEYS.has(key) && parent.type !== 'text';
  // In a citation, `file_id` only refers to a file, so it is not media.
  return key === 'file_id' && parent.cited_text === undefined;
};

const isFixed = (parent: JsonObject, key: unknown): boolean =>
  BLOCK_KEYS.has(key) ||
  KEYS_OF_TYPE.get(parent.type)?.includes(key) === true ||
  (key === 'file_id' && parent.cited_text !== undefined);

const isSignedMember = (parent: JsonObject, key: unknown): boolean =>
  SIGNED_KEYS.has(key) ||
  (parent.type === 'redacted_thinking' && key === 'data') ||
  // Thinking without a signature is not `signed`: this gateway created it from an answer in the
  // other dialect.
  (parent.type === 'thinking' && key === 'thinking' && Boolean(parent.signature)) ||
  // The signature of a compaction covers its summary and the tools that the summary mentions.
  (parent.type === 'compaction' && Boolean(parent.signature));
