import type { JsonObject, LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';

/** Members of the body that hold choices between words of the API, names of models, or seals. */
const FIXED_MEMBERS = new Set<unknown>([
  ...['model', 'service_tier', 'reasoning_effort', 'verbosity', 'modalities', 'tool_choice'],
  ...['function_call', 'audio', 'stream_options', 'prompt_cache_retention', 'reasoning'],
  ...['prompt_cache_options', 'moderation', 'cache_control'],
]);
/** Keys of messages, parts and calls that are no text wherever they stand. */
const FIXED_KEYS = new Set<unknown>([
  ...['role', 'type', 'id', 'tool_call_id', 'cache_control', 'prompt_cache_breakpoint'],
  ...['signature', 'thought_signature', 'encrypted_content'],
]);
/** Of a tool; a grammar is to a tool's input what a pattern is to a value of a schema. */
const TOOL_KEYS = new Set<unknown>(['type', 'name', 'format', 'cache_control']);
const FORMAT_KEYS = new Set<unknown>(['type', 'name', 'grammar']);
/** Codes from lists of countries and time zones; cities and regions are words. */
const SEARCH_KEYS = new Set<unknown>(['type', 'search_context_size', 'country', 'timezone']);
/** Of a reasoning entry beside `FIXED_KEYS`. */
const REASONING_KEYS = new Set<unknown>(['data', 'format']);

/** What parts of a message hold, by their keys; the rest is text. */
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
]);

/** What a string leaf of a chat-completions body is; members that nobody knows are text. */
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
      return schema < 0 ? fixedIf(FORMAT_KEYS.has(key)) : toSchemaLeaf(path, schema + 1);
    }
    case 'prediction':
      return fixedIf(hasFixedKey(path, 1));
    case 'web_search_options':
      return fixedIf(SEARCH_KEYS.has(key));
    default:
      return fixedIf(FIXED_MEMBERS.has(member));
  }
};

/** `messages[0].key...` */
const toMessageLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [, , key, inner] = path;
  if (FIXED_KEYS.has(key)) return 'fixed';
  switch (key) {
    case 'content':
      return PARTS.get(path.slice(4).join('.')) ?? fixedIf(hasFixedKey(path, 4));
    case 'tool_calls':
      return toCallLeaf(path);
    case 'function_call':
      return fixedIf(inner === 'name');
    case 'audio':
      return inner === 'transcript' ? 'text' : 'media';
    case 'annotations':
    case 'extra_content':
      return fixedIf(hasFixedKey(path, 3));
    case 'reasoning_details':
    case 'thinking_blocks':
      return toReasoningLeaf(path, body);
    case 'name': {
      // Of a function that answers; else of somebody who takes part.
      const role = asObject(valueAt(body, path, 2))?.role;
      return fixedIf(role === 'function' || role === 'tool');
    }
    default:
      return 'text';
  }
};

/** `messages[0].tool_calls[0].key...`; in arguments everything is text, whatever its key. */
const toCallLeaf = (path: LeafPath): RequestLeaf => {
  const [, , , , key, inner] = path;
  if (key === 'function' || key === 'custom') return fixedIf(inner === 'name');
  return fixedIf(hasFixedKey(path, 4));
};

/** `messages[0].reasoning_details[0].key...`: a signature seals the words beside it. */
const toReasoningLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const isSealed = Boolean(asObject(valueAt(body, path, 4))?.signature);
  return fixedIf(isSealed || REASONING_KEYS.has(path[4]) || hasFixedKey(path, 4));
};

/** `tools[0].function.key...`, or `functions[0].key...`. */
const toToolLeaf = (path: LeafPath): RequestLeaf => {
  const at = path[2] === 'function' || path[2] === 'custom' ? 3 : 2;
  if (path[at] === 'parameters') return toSchemaLeaf(path, at + 1);
  return fixedIf(TOOL_KEYS.has(path[at]));
};

const hasFixedKey = (path: LeafPath, from: number): boolean =>
  path.slice(from).some((key) => FIXED_KEYS.has(key));

const fixedIf = (isFixed: boolean): RequestLeaf => (isFixed ? 'fixed' : 'text');
