import type { LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { valueAt, toSchemaLeaf } from '../json/schema-leaf.ts';

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
      if (isSigned(parent, key)) return 'signed';
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

const isSigned = (parent: JsonObject, key: unknown): boolean =>
  SIGNED_KEYS.has(key) ||
  (parent.type === 'redacted_thinking' && key === 'data') ||
  // Thinking without a signature is not `signed`: this gateway created it from an answer in the
  // other dialect.
  (parent.type === 'thinking' && key === 'thinking' && Boolean(parent.signature)) ||
  // The signature of a compaction covers its summary and the tools that the summary mentions.
  (parent.type === 'compaction' && Boolean(parent.signature));
