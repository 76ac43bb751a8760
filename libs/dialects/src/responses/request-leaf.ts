import type { LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toSchemaLeaf, valueAt } from '../json/schema-leaf.ts';

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
  ...['type', 'role', 'id', 'call_id', 'status', 'phase', 'name', 'namespace', 'caller', 'detail'],
  ...['format', 'file_id', 'container_id', 'server_label', 'approval_request_id', 'error_code'],
  ...['prompt_cache_breakpoint', 'acknowledged_safety_checks', 'created_by', 'execution'],
]);
const SIGNED_KEYS = new Set<unknown>(['encrypted_content', 'signature']);
const MEDIA_KEYS = new Set<unknown>(['image_url', 'file_data', 'file_url', 'audio_url']);
const MEDIA_TYPES = new Set<unknown>(['input_image', 'input_file', 'computer_screenshot']);
/** Members with arbitrary JSON values: arguments that a client sends as an object, actions. */
const DATA_KEYS = new Set<unknown>(['arguments', 'action', 'operation', 'attributes', 'variables']);

/**
 * Classifies a leaf of items, which may contain content, results and tools. From `path[from]` on,
 * the first key that has a kind other than text decides.
 */
export const toItemLeaf = (path: LeafPath, from: number, body: JsonObject): RequestLeaf => {
  let value = valueAt(body, path, from);
  for (let index = from; index < path.length; index += 1) {
    const key = path[index]!;
    const parent = asObject(value);
    if (parent) {
      const isLast = index === path.length - 1;
      const kind = kindOf(parent, key, { isLast });
      if (kind) return kind;
      if (key === 'tools') return toToolLeaf(path, index + 1);
      if (key === 'text' && !isLast) return toTextLeaf(path, index + 1);
    }
    value = valueAt(value, [key], 1);
  }
  return 'text';
};

const kindOf = (
  parent: JsonObject,
  key: unknown,
  { isLast }: { isLast: boolean },
): RequestLeaf | undefined => {
  if (SIGNED_KEYS.has(key)) return 'signed';
  if (isMedia(parent, key)) return 'media';
  if (key === 'filename') return 'filename';
  if (DATA_KEYS.has(key) && !isLast) return 'data';
  return FIXED_KEYS.has(key) ? 'fixed' : undefined;
};

const isMedia = ({ type }: JsonObject, key: unknown): boolean =>
  MEDIA_KEYS.has(key) ||
  (key === 'file_id' && MEDIA_TYPES.has(type)) ||
  (key === 'data' && type === undefined) ||
  (key === 'result' && type === 'image_generation_call');

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
