import { isChosenByGateway } from '../address/read-model-address.ts';
import { isReasoningModel } from '../chat-completions/request.ts';
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
import { asList, asNumber, asObject, asText, isAbsent, valueAt } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { readEncryptedContent } from '../neutral/provider-signature.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';

/**
 * Returns the edits that set the model, reduce the output limit to the maximum, and add a missing
 * limit if the target requires one. For a reasoning model that the gateway chose, the limit is
 * raised by the reasoning allowance, and sampling parameters are removed. Reasoning of another
 * dialect is left out, because the provider would refuse it.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const { model, maxOutputTokens, isLimited } = target;
  const isAdapted = isReasoningModel(model) && isChosenByGateway(summary.model, model);
  const limit = summary.outputLimits.max_output_tokens;
  const allowance = isAdapted ? reasoningAllowance(summary.reasoningEffort) : 0;
  const longest = limit === undefined ? undefined : Math.min(limit + allowance, maxOutputTokens);
  const outputTokens = longest ?? (isLimited ? maxOutputTokens : undefined);
  const edits: Record<string, MemberEdits[string]> = {};
  if (model !== summary.model) edits.model = JSON.stringify(model);
  if (outputTokens !== limit) edits.max_output_tokens = String(outputTokens);
  const removed = isAdapted ? summary.samplingNames : [];
  for (const name of removed) edits[name] = null;
  if (summary.ownItems === undefined) return { edits, dropped: removed, outputTokens };
  edits.input = JSON.stringify(summary.ownItems);
  return { edits, dropped: ['input[].encrypted_content', ...removed], outputTokens };
};

const SAMPLING = ['temperature', 'top_p'] as const;

/** Id that the gateway gives to reasoning which it converted from another dialect. */
const CONVERTED_REASONING_ID = /^rs_[0-9A-Za-z]{22}(?:f\d)?_\d+$/;

/** Returns whether an item is reasoning of another dialect, which no provider of this one knows. */
const isForeign = (item: unknown): boolean => {
  const { type, id, encrypted_content: content } = asObject(item) ?? {};
  if (type !== 'reasoning') return false;
  return isAbsent(content)
    ? CONVERTED_REASONING_ID.test(asText(id))
    : readEncryptedContent(asText(content)) !== undefined;
};

/** Request members that a response repeats. */
const ECHOED = [
  ...['background', 'frequency_penalty', 'instructions', 'max_output_tokens', 'max_tool_calls'],
  ...['metadata', 'parallel_tool_calls', 'presence_penalty', 'previous_response_id'],
  ...['prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'temperature'],
  ...['text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
] as const;

export const readRequest = (body: JsonObject): RequestSummary => {
  const limit = asNumber(body.max_output_tokens);
  const items = asList(body.input);
  return {
    model: asText(body.model),
    streamed: body.stream === true,
    wantsUsage: true,
    choices: 1,
    samplingNames: SAMPLING.filter((name) => !isAbsent(body[name])),
    reasoningEffort: asText(asObject(body.reasoning)?.effort),
    ...(items.some(isForeign) && { ownItems: items.filter((item) => !isForeign(item)) }),
    outputLimits: limit === undefined ? {} : { max_output_tokens: limit },
    echo: Object.fromEntries(
      ECHOED.filter((name) => !isAbsent(body[name])).map((name) => [name, body[name]]),
    ),
  };
};

/**
 * Appends a preamble to `instructions` in the JSON text of a body, after a blank line. Instructions
 * of an invalid type are preserved, and the provider refuses the request. Of duplicate members the
 * last one counts, because parsers use that one.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  if (preamble === '') return source;
  const member = readMembers(source).findLast(({ key }) => key === 'instructions');
  const value: unknown = member ? JSON.parse(source.slice(member.start, member.end)) : null;
  if (!isAbsent(value) && typeof value !== 'string') return source;
  const instructions = asText(value).trim() === '' ? preamble : `${asText(value)}\n\n${preamble}`;
  return editMembers(source, { instructions: JSON.stringify(instructions) });
};

const NO_EFFORT = new Set(['', 'none', 'minimal']);
const MEDIA = new Set<unknown>(['input_image', 'input_file', 'input_audio']);
const INSTRUCTION_ROLES = new Set<unknown>(['system', 'developer']);

type Turn = { isUser: boolean; texts: string[]; hasResults: boolean };
type PartialSignals = { system: string[]; turns: Turn[]; length: number; mediaCount: number };

/**
 * Returns the routing signals of a parsed body. Members of a wrong type count as absent. A response
 * that `previous_response_id` names is not included, because its provider stores it.
 */
export const readSignals = (body: JsonObject): RoutingSignals => {
  const instructions = asText(body.instructions);
  const signals: PartialSignals = {
    system: instructions === '' ? [] : [instructions],
    turns: [],
    length: instructions.length,
    mediaCount: 0,
  };
  const items = inputItems(body.input);
  for (const item of items) addItem(signals, item);
  const tools = asList(body.tools);
  const userTexts = signals.turns
    .filter(({ isUser }) => isUser)
    .map(({ texts }) => texts.join('\n'))
    .filter((text) => text !== '');
  const encrypted = items.map((item) => asText(item.encrypted_content)).find((text) => text !== '');
  const format = asText(asObject(asObject(body.text)?.format)?.type);
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText: signals.system.join('\n\n'),
    promptLength: signals.length + (tools.length > 0 ? JSON.stringify(tools).length : 0),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: signals.turns.at(-1)?.hasResults ?? false,
    hasSignedReasoning: encrypted !== undefined,
    ...(encrypted !== undefined && {
      signingDialect: readEncryptedContent(encrypted) ? 'messages' : 'responses',
    }),
    wantsReasoning: !NO_EFFORT.has(asText(asObject(body.reasoning)?.effort)),
    wantsJson: format === 'json_object' || format === 'json_schema',
    mediaCount: signals.mediaCount,
  };
};

/** Returns the items of `input`; a text is one message of the user. */
export const inputItems = (input: unknown): JsonObject[] =>
  typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : asList(input)
        .map(asObject)
        .filter((item) => item !== undefined);

const addItem = (signals: PartialSignals, item: JsonObject): void => {
  const type = item.type ?? 'message';
  if (type === 'message') return addMessage(signals, item);
  if (typeof type === 'string' && type.endsWith('_output')) {
    turnOf(signals, true).hasResults = true;
    addContent(signals, item.output);
    return undefined;
  }
  turnOf(signals, false);
  for (const key of ['name', 'arguments', 'input']) signals.length += asText(item[key]).length;
  return undefined;
};

const addMessage = (signals: PartialSignals, message: JsonObject): void => {
  const text = addContent(signals, message.content);
  if (INSTRUCTION_ROLES.has(message.role)) {
    if (text !== '') signals.system.push(text);
    return;
  }
  const turn = turnOf(signals, message.role !== 'assistant');
  if (text !== '') turn.texts.push(text);
};

const turnOf = ({ turns }: PartialSignals, isUser: boolean): Turn => {
  const last = turns.at(-1);
  if (last?.isUser === isUser) return last;
  const turn = { isUser, texts: [], hasResults: false };
  turns.push(turn);
  return turn;
};

const addContent = (signals: PartialSignals, content: unknown): string => {
  const texts = [asText(content)];
  for (const item of asList(content)) {
    const part = asObject(item);
    if (MEDIA.has(part?.type)) signals.mediaCount += 1;
    texts.push(asText(part?.text), asText(part?.refusal));
  }
  const text = texts.filter((word) => word !== '').join('\n');
  signals.length += text.length;
  return text;
};

const FIXED_MEMBERS = new Set<unknown>([
  ...[
    'model',
    'service_tier',
    'tool_choice',
    'truncation',
    'include',
    'reasoning',
    'stream_options',
  ],
  ...['previous_response_id', 'conversation', 'prompt_cache_retention', 'prompt_cache_options'],
  ...['context_management', 'moderation', 'access_programs', 'image'],
  // Members that control routing in OpenRouter and other gateways.
  ...['provider', 'models', 'route', 'transforms', 'fallbacks', 'providerOptions'],
]);

export const toRequestLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [member] = path;
  const key = path.at(-1);
  switch (member) {
    case 'input':
    case 'instructions':
      return toItemLeaf(path, 1, body);
    case 'tools':
      return toToolLeaf(path, 1);
    case 'text':
      return toTextLeaf(path, 1);
    case 'metadata':
      return 'data';
    case 'prompt':
      // The names of variables are the client's, so they have no special meaning.
      return path[1] === 'variables' ? toItemLeaf(path, 3, body) : 'fixed';
    default:
      return fixedIf(FIXED_MEMBERS.has(member) || key === 'cache_control');
  }
};

const FORMAT_KEYS = new Set<unknown>(['type', 'name']);

/** Classifies a leaf of `text`: the format of the answer, and how long the answer should be. */
const toTextLeaf = (path: LeafPath, from: number): RequestLeaf => {
  const schema = path.indexOf('schema', from);
  if (schema >= 0) return toSchemaLeaf(path, schema + 1);
  return fixedIf(path[from] !== 'format' || FORMAT_KEYS.has(path.at(-1)));
};

const FIXED_KEYS = new Set<unknown>([
  ...['type', 'role', 'id', 'call_id', 'status', 'phase', 'name', 'namespace', 'detail'],
  ...['format', 'file_id', 'container_id', 'server_label', 'approval_request_id', 'error_code'],
  'created_by',
]);
/** Members whose values, objects included, were made by a provider or configure the call. */
const FIXED_OBJECTS = new Set<unknown>([
  ...['caller', 'prompt_cache_breakpoint', 'acknowledged_safety_checks', 'execution'],
]);
const SIGNED_KEYS = new Set<unknown>(['encrypted_content', 'signature']);
const MEDIA_KEYS = new Set<unknown>(['image_url', 'file_data', 'file_url', 'audio_url']);
const MEDIA_TYPES = new Set<unknown>(['input_image', 'input_file', 'computer_screenshot']);
/** Members that list parts of an item, whose own members are those of the dialect. */
const PART_LISTS = new Set<unknown>([
  ...['content', 'output', 'summary', 'annotations', 'logprobs', 'top_logprobs', 'results'],
]);
/** Types of items that list tools. */
const TOOL_LISTS = new Set<unknown>(['mcp_list_tools', 'tool_search_output']);

/**
 * Classifies a leaf of items, which may contain content, results and tools. The members of the
 * dialect are known for items and their parts only; any other object or list is data of the client,
 * whatever its members are called.
 */
export const toItemLeaf = (path: LeafPath, from: number, body: JsonObject): RequestLeaf => {
  let value = valueAt(body, path, from);
  for (let index = from; index < path.length; index += 1) {
    const key = path[index]!;
    const parent = asObject(value);
    const child = valueAt(value, [key], 1);
    const isInner = index < path.length - 1;
    if (parent) {
      const kind = kindOf(parent, key, { isInner, isAudio: path[index - 1] === 'input_audio' });
      if (kind) return kind;
      if (isInner && key === 'tools' && TOOL_LISTS.has(parent.type)) {
        return toToolLeaf(path, index + 1);
      }
      if (isInner && !hasParts(key, child)) return 'data';
    } else if (Array.isArray(child)) return 'data';
    value = child;
  }
  return 'text';
};

const kindOf = (
  parent: JsonObject,
  key: unknown,
  { isInner, isAudio }: { isInner: boolean; isAudio: boolean },
): RequestLeaf | undefined => {
  if (SIGNED_KEYS.has(key)) return 'signed';
  if (isMedia(parent, key) || (isAudio && key === 'data')) return 'media';
  if (FIXED_OBJECTS.has(key)) return 'fixed';
  if (isInner) return undefined;
  if (key === 'filename') return 'filename';
  return FIXED_KEYS.has(key) ? 'fixed' : undefined;
};

const isMedia = ({ type }: JsonObject, key: unknown): boolean =>
  MEDIA_KEYS.has(key) ||
  (key === 'file_id' && MEDIA_TYPES.has(type)) ||
  (key === 'result' && type === 'image_generation_call');

/** Returns whether a value has the members of the dialect, and not those of the client. */
const hasParts = (key: unknown, value: unknown): boolean =>
  Array.isArray(value)
    ? PART_LISTS.has(key)
    : key === 'input_audio' || (key === 'output' && MEDIA_TYPES.has(asObject(value)?.type));

/** Keys of a tool whose values are prose; all others configure it or grant it access. */
const TOOL_TEXT_KEYS = new Set<unknown>([
  ...['description', 'server_description', 'city', 'region', 'value', 'key'],
]);

/** Classifies a leaf of tools, which may contain schemas and, in a namespace, further tools. */
const toToolLeaf = (path: LeafPath, from: number): RequestLeaf => {
  for (let index = from; index < path.length; index += 1) {
    const key = path[index];
    if (key === 'parameters' || key === 'output_schema') return toSchemaLeaf(path, index + 1);
    if (key === 'format') return 'fixed';
  }
  return fixedIf(!TOOL_TEXT_KEYS.has(path.at(-1)));
};

const fixedIf = (isFixed: boolean): RequestLeaf => (isFixed ? 'fixed' : 'text');
