import type { LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { valueAt, toSchemaLeaf } from '../json/schema-leaf.ts';

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
