import { isChosenByGateway } from '../address/read-model-address.ts';
import type {
  EgressEdits,
  EgressTarget,
  LeafPath,
  RequestLeaf,
  RequestSummary,
  RoutingSignals,
} from '../dialect.ts';
import { readElements, readMembers } from '../json/json-text.ts';
import type { Element, MemberEdits } from '../json/json-text.ts';
import { asList, asNumber, asObject, asText, parseObject, valueAt } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';

/**
 * Returns the edits that set the model, reduce output limits to the maximum, add a missing limit if
 * the target requires one, and request the usage chunk of a stream; the gateway hides that chunk
 * from clients that did not request it. For a reasoning model that the gateway chose, the output
 * limit is renamed and raised by the reasoning allowance, and sampling parameters are removed. For
 * a model that the client named, the client is responsible for sending what the model accepts.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const { edits: limitEdits, outputTokens } = limitOutput(summary, target);
  const edits: Record<string, MemberEdits[string]> = { ...limitEdits };
  if (target.model !== summary.model) edits.model = JSON.stringify(target.model);
  if (summary.streamed && !summary.wantsUsage) edits.stream_options = { include_usage: 'true' };
  const dropped = needsAdaptation(summary, target) ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  return { edits, dropped, outputTokens };
};

const needsAdaptation = (summary: RequestSummary, { model }: EgressTarget): boolean =>
  isReasoningModel(model) && isChosenByGateway(summary.model, model);

const limitOutput = (
  summary: RequestSummary,
  target: EgressTarget,
): { edits: MemberEdits; outputTokens: number | undefined } => {
  const { model, maxOutputTokens } = target;
  const requested = Object.entries(summary.outputLimits);
  // A body may have both output limits, and it is unknown which one the provider applies, so the
  // larger one is assumed.
  const longest =
    requested.length === 0 ? undefined : Math.max(...requested.map(([, tokens]) => tokens));
  if (longest === undefined) {
    if (!target.isLimited) return { edits: {}, outputTokens: undefined };
    const edits = { [limitNameOf(model)]: String(maxOutputTokens) };
    return { edits, outputTokens: maxOutputTokens };
  }
  if (needsAdaptation(summary, target)) {
    const outputTokens = Math.min(
      longest + reasoningAllowance(summary.reasoningEffort),
      maxOutputTokens,
    );
    const edits = { max_tokens: null, max_completion_tokens: String(outputTokens) };
    return { edits, outputTokens };
  }
  const exceeded = requested.filter(([, tokens]) => tokens > maxOutputTokens);
  return {
    edits: Object.fromEntries(exceeded.map(([name]) => [name, String(maxOutputTokens)])),
    outputTokens: Math.min(longest, maxOutputTokens),
  };
};

const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

const SAMPLING = ['temperature', 'top_p'] as const;

/**
 * Returns the members of a request that the gateway needs. They are not validated here; the
 * api-gateway does that.
 */
export const readRequest = (body: JsonObject): RequestSummary => ({
  model: asText(body.model),
  streamed: body.stream === true,
  wantsUsage: asObject(body.stream_options)?.include_usage === true,
  choices: readChoices(body.n),
  samplingNames: SAMPLING.filter((name) => body[name] != null),
  reasoningEffort: asText(body.reasoning_effort),
  outputLimits: Object.fromEntries(
    OUTPUT_LIMITS.flatMap((name) => {
      const tokens = asNumber(body[name]);
      return tokens === undefined ? [] : [[name, tokens]];
    }),
  ),
});

const CHOICES_MAX = 1_000;

const readChoices = (value: unknown): number =>
  typeof value === 'number' && value > 1 ? Math.min(Math.ceil(value), CHOICES_MAX) : 1;

const INSTRUCTION_ROLES = new Set(['system', 'developer']);

/**
 * Inserts an instruction after the leading system and developer messages, so that a prompt cache
 * still matches those. The instruction has the role of the last of these messages, because OpenAI
 * refuses a request that has both roles. If there is no list `messages`, the body is returned
 * unchanged, and the provider will refuse it.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  // Of duplicate members the last one is edited, because parsers use that one.
  const list = readMembers(source).findLast(({ key }) => key === 'messages');
  if (!list || source[list.start] !== '[') return source;
  const messages = readElements(source, list.start);
  const instructions = readLeadingInstructions(source, messages);
  const message = JSON.stringify({ role: instructions.role, content: preamble });
  if (instructions.last) return splice(source, instructions.last.end, `,${message}`);
  return splice(source, list.start + 1, messages.length > 0 ? `${message},` : message);
};

const readLeadingInstructions = (
  source: string,
  messages: readonly Element[],
): { role: string; last?: Element } => {
  let instructions: { role: string; last?: Element } = { role: 'system' };
  for (const last of messages) {
    const role = asText(parseObject(source.slice(last.start, last.end))?.role);
    if (!INSTRUCTION_ROLES.has(role)) break;
    instructions = { role, last };
  }
  return instructions;
};

const splice = (source: string, offset: number, text: string): string =>
  source.slice(0, offset) + text + source.slice(offset);

/**
 * Matches OpenAI's own models, the newer of which refuse `max_tokens`. Many local runtimes
 * accept only `max_tokens`.
 */
export const OPENAI_MODEL = /^(o\d|gpt-(?!oss)|chatgpt-)/;

export const limitNameOf = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  OPENAI_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';

/**
 * Matches OpenAI's reasoning models, which refuse sampling parameters; `gpt-5-chat` is not one of
 * them.
 */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;

const NO_LOW_EFFORT = /^(?:o1-(?:mini|preview)|.+-pro(?:$|-))/;

export const isReasoningModel = (model: string): boolean => REASONING_MODEL.test(model);

export const acceptsLowEffort = (model: string): boolean =>
  isReasoningModel(model) && !NO_LOW_EFFORT.test(model);

const NO_EFFORT = new Set(['', 'none', 'minimal']);
const MEDIA = new Set(['image_url', 'input_audio', 'file']);

type Turn = { isUser: boolean; texts: string[]; hasResults: boolean };

type PartialSignals = { system: string[]; turns: Turn[]; length: number; mediaCount: number };

/**
 * Returns the routing signals of a parsed body. Members of a wrong type count as absent.
 * `hasSignedReasoning` is always false, because this dialect has no signatures.
 */
export const readSignals = (body: JsonObject): RoutingSignals => {
  const signals: PartialSignals = { system: [], turns: [], length: 0, mediaCount: 0 };
  for (const item of asList(body.messages)) {
    const message = asObject(item);
    if (message) addMessage(signals, message);
  }
  const tools = [...asList(body.tools), ...asList(body.functions)];
  const userTexts = signals.turns
    .filter(({ isUser }) => isUser)
    .map(({ texts }) => texts.join('\n'))
    .filter((text) => text !== '');
  const format = asText(asObject(body.response_format)?.type);
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText: signals.system.join('\n\n'),
    promptLength: signals.length + (tools.length > 0 ? JSON.stringify(tools).length : 0),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: signals.turns.at(-1)?.hasResults ?? false,
    hasSignedReasoning: false,
    wantsReasoning: !NO_EFFORT.has(asText(body.reasoning_effort)),
    wantsJson: format === 'json_object' || format === 'json_schema',
    mediaCount: signals.mediaCount,
  };
};

const addMessage = (signals: PartialSignals, message: JsonObject): void => {
  const role = asText(message.role);
  const text = addContent(signals, message.content);
  if (role === 'system' || role === 'developer') {
    if (text !== '') signals.system.push(text);
    return;
  }
  const isUser = role !== 'assistant';
  const turn = turnOf(signals, isUser);
  if (role === 'tool' || role === 'function') turn.hasResults = true;
  else if (text !== '') turn.texts.push(text);
  if (!isUser) signals.length += lengthOfAnswer(message);
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
    if (MEDIA.has(asText(part?.type))) signals.mediaCount += 1;
    texts.push(asText(part?.text));
  }
  const text = texts.filter((word) => word !== '').join('\n');
  signals.length += text.length;
  return text;
};

const lengthOfAnswer = (message: JsonObject): number => {
  let length = asText(message.refusal).length;
  for (const item of asList(message.tool_calls)) {
    const calledFunction = asObject(asObject(item)?.function);
    length += asText(calledFunction?.name).length + asText(calledFunction?.arguments).length;
  }
  return length;
};

const FIXED_MEMBERS = new Set<unknown>([
  ...['model', 'service_tier', 'reasoning_effort', 'verbosity', 'modalities', 'tool_choice'],
  ...['function_call', 'audio', 'stream_options', 'prompt_cache_retention', 'reasoning'],
  ...['prompt_cache_options', 'moderation', 'cache_control'],
  // Members that control routing in OpenRouter and other gateways.
  ...['provider', 'models', 'route', 'transforms', 'fallbacks', 'providerOptions'],
  // Members of vLLM, SGLang and llama.cpp that constrain the form of the answer.
  ...['guided_regex', 'guided_grammar', 'guided_choice', 'guided_decoding_backend'],
  ...['guided_whitespace_pattern', 'structural_tag', 'grammar', 'regex', 'ebnf', 'chat_template'],
]);
const SCHEMA_MEMBERS = new Set<unknown>(['guided_json', 'json_schema']);
const FIXED_KEYS = new Set<unknown>([
  ...['role', 'type', 'id', 'tool_call_id', 'cache_control', 'prompt_cache_breakpoint'],
]);
const SIGNED_KEYS = new Set<unknown>(['signature', 'thought_signature', 'encrypted_content']);
/**
 * Keys of a tool whose values must not change. `format` contains a grammar that constrains the
 * model's output; masking text in it would change what it matches.
 */
const TOOL_KEYS = new Set<unknown>(['type', 'name', 'format', 'cache_control']);
const FORMAT_KEYS = new Set<unknown>(['type', 'name', 'grammar', 'pattern', 'regex', 'value']);
/**
 * Keys of the web search options whose values must not change. Country and time zone are codes;
 * city and region, not listed, are text.
 */
const SEARCH_KEYS = new Set<unknown>(['type', 'search_context_size', 'country', 'timezone']);

const PARTS: ReadonlyMap<string, RequestLeaf> = new Map([
  ...['image_url', 'video_url', 'audio_url'].flatMap((key): [string, RequestLeaf][] => [
    [key, 'media'],
    [`${key}.url`, 'media'],
    [`${key}.detail`, 'fixed'],
  ]),
  ['input_audio.data', 'media'],
  ['input_audio.format', 'fixed'],
  ['file.file_data', 'media'],
  ['file.file_id', 'media'],
  ['file.filename', 'filename'],
]);

export const toRequestLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [member] = path;
  const key = path.at(-1);
  switch (member) {
    case 'messages':
      return toMessageLeaf(path, body);
    case 'tools':
    case 'functions':
      return toToolLeaf(path);
    case 'response_format': {
      const schema = path.indexOf('schema');
      if (schema >= 0) return toSchemaLeaf(path, schema + 1);
      if (path[1] === 'value' && path.length > 2) return toSchemaLeaf(path, 2);
      return fixedIf(FORMAT_KEYS.has(key));
    }
    case 'structured_outputs':
      return path[1] === 'json' && path.length > 2 ? toSchemaLeaf(path, 2) : 'fixed';
    case 'metadata':
      return 'data';
    case 'prediction':
      return toPartLeaf(path, 1);
    case 'web_search_options':
      return fixedIf(SEARCH_KEYS.has(key));
    default:
      if (SCHEMA_MEMBERS.has(member)) return path.length > 1 ? toSchemaLeaf(path, 1) : 'fixed';
      return fixedIf(FIXED_MEMBERS.has(member));
  }
};

const toMessageLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [, , key, inner] = path;
  if (SIGNED_KEYS.has(key)) return 'signed';
  if (FIXED_KEYS.has(key)) return 'fixed';
  switch (key) {
    case 'content':
      return PARTS.get(path.slice(4).join('.')) ?? toPartLeaf(path, 4);
    case 'tool_calls':
      return toCallLeaf(path);
    case 'function_call':
      return fixedIf(inner === 'name');
    case 'audio':
      return inner === 'transcript' ? 'text' : 'media';
    case 'annotations':
    case 'extra_content':
      return toPartLeaf(path, 3);
    case 'reasoning_details':
    case 'thinking_blocks':
      return toReasoningLeaf(path, body);
    case 'name': {
      // In tool messages `name` is the name of a function, in other messages that of a participant.
      const role = asObject(valueAt(body, path, 2))?.role;
      return role === 'function' || role === 'tool' ? 'fixed' : 'name';
    }
    default:
      return 'text';
  }
};

/**
 * Classifies `messages[0].tool_calls[0].key...`. Arguments are JSON text, but some clients send an
 * object.
 */
const toCallLeaf = (path: LeafPath): RequestLeaf => {
  const [, , , , key, inner] = path;
  if (key !== 'function' && key !== 'custom') return toPartLeaf(path, 4);
  if (inner === 'name') return 'fixed';
  return path.length > 6 ? 'data' : 'text';
};

/**
 * Classifies `messages[0].reasoning_details[0].key...`. If the item has a signature, all its values
 * must stay unchanged, because the signature covers them.
 */
const toReasoningLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const isSigned = Boolean(asObject(valueAt(body, path, 4))?.signature);
  if (isSigned || path[4] === 'data') return 'signed';
  return path[4] === 'format' ? 'fixed' : toPartLeaf(path, 4);
};

const toToolLeaf = (path: LeafPath): RequestLeaf => {
  const keyIndex = path[2] === 'function' || path[2] === 'custom' ? 3 : 2;
  if (path[keyIndex] === 'parameters') return toSchemaLeaf(path, keyIndex + 1);
  return fixedIf(TOOL_KEYS.has(path[keyIndex]));
};

const toPartLeaf = (path: LeafPath, from: number): RequestLeaf => {
  const key = path
    .slice(from)
    .find((segment) => SIGNED_KEYS.has(segment) || FIXED_KEYS.has(segment));
  if (SIGNED_KEYS.has(key)) return 'signed';
  return fixedIf(key !== undefined);
};

const fixedIf = (isFixed: boolean): RequestLeaf => (isFixed ? 'fixed' : 'text');
