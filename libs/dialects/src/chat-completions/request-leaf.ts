import type { JsonObject, LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';

/** Members of the body that hold words of our own or choices between them. */
const FIXED_MEMBERS = new Set([
  ...['model', 'service_tier', 'reasoning_effort', 'verbosity', 'modalities', 'tool_choice'],
  ...['function_call', 'audio', 'stream_options', 'prompt_cache_retention', 'reasoning'],
]);
/** Keys of messages, parts and calls that are no text wherever they stand. */
const FIXED_KEYS = new Set(['role', 'type', 'id', 'tool_call_id', 'cache_control', 'detail']);
/** Of reasoning that a provider wants back as it was: seals and what is under them. */
const SEALED_KEYS = new Set(['signature', 'data', 'format', 'encrypted_content']);

/** What a string leaf of a chat-completions body is; members that nobody knows are text. */
export const toRequestLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [member] = path;
  switch (member) {
    case 'messages':
      return toMessageLeaf(path, body);
    case 'tools':
    case 'functions':
      return toToolLeaf(path, member === 'tools' ? 3 : 2);
    case 'response_format':
      if (path[2] === 'schema') return toSchemaLeaf(path, 3);
      return path[2] === 'description' ? 'text' : 'fixed';
    case 'prediction':
      return path.at(-1) === 'type' ? 'fixed' : 'text';
    default:
      return FIXED_MEMBERS.has(String(member)) ? 'fixed' : 'text';
  }
};

/** `messages[0].key...` */
const toMessageLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const key = path[2];
  if (key === undefined) return 'text';
  if (FIXED_KEYS.has(String(key))) return 'fixed';
  switch (key) {
    case 'content':
      return path.length > 4 ? toPartLeaf(path) : 'text';
    case 'tool_calls':
      return FIXED_KEYS.has(String(path[4])) || path[5] === 'name' ? 'fixed' : 'text';
    case 'function_call':
      return path[3] === 'name' ? 'fixed' : 'text';
    case 'audio':
      return 'media';
    case 'reasoning_details':
      return SEALED_KEYS.has(String(path.at(-1))) || FIXED_KEYS.has(String(path.at(-1)))
        ? 'fixed'
        : 'text';
    case 'name':
      // Of a function that answers; else of somebody who takes part.
      return asObject(valueAt(body, path, 2))?.role === 'function' ? 'fixed' : 'text';
    default:
      return 'text';
  }
};

/** `messages[0].content[0].key...` */
const toPartLeaf = (path: LeafPath): RequestLeaf => {
  const [, , , , key, inner] = path;
  if (FIXED_KEYS.has(String(key))) return 'fixed';
  if (key === 'image_url') return inner === 'detail' ? 'fixed' : 'media';
  if (key === 'input_audio') return inner === 'data' ? 'media' : 'fixed';
  if (key === 'file') return inner === 'filename' ? 'text' : 'media';
  return 'text';
};

/** `tools[0].function.key...`, or `functions[0].key...`; `at` is where the key stands. */
const toToolLeaf = (path: LeafPath, at: number): RequestLeaf => {
  const key = path[at];
  if (key === 'parameters') return toSchemaLeaf(path, at + 1);
  return key === 'description' ? 'text' : 'fixed';
};
