import type { JsonObject, LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';

/** Keys of blocks, and of what stands in them, that are no text wherever they stand. */
const BLOCK_KEYS = new Set<unknown>([
  ...['type', 'id', 'tool_use_id', 'tab_id', 'download_id', 'caller', 'cache_control'],
  ...['tool_name', 'toolset_name', 'server_name', 'mcp_server_name'],
  ...['error_code', 'stop_reason', 'media_type', 'file_type', 'retrieved_at', 'transformations'],
]);
/** Keys of what the provider signed or encrypted. */
const SIGNED_KEYS = new Set<unknown>([
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout'],
]);
/** The same of tools, beside those of blocks. */
const TOOL_KEYS = new Set<unknown>([
  ...['name', 'model', 'caching', 'allowed_callers', 'allowed_domains', 'blocked_domains'],
  ...['response_inclusion', 'country', 'timezone'],
]);
/** The same of blocks of one type. */
const KEYS_OF_TYPE: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['tool_use', ['name']],
  ['server_tool_use', ['name']],
  ['mcp_tool_use', ['name']],
  ['fallback', ['from', 'to', 'trigger']],
]);
/** Below these keys stand tools. */
const TOOL_HOLDERS = new Set<unknown>(['tools', 'tool']);
/** Of a source that is no text. */
const MEDIA_KEYS = new Set<unknown>(['data', 'url', 'file_id']);

/**
 * A leaf of blocks, which hold sources, results, tools and more blocks: the first key on the way
 * from `path[from]` that tells decides.
 */
export const toBlockLeaf = (path: LeafPath, from: number, body: JsonObject): RequestLeaf => {
  let value = valueAt(body, path, from);
  let isTool = TOOL_HOLDERS.has(path[from - 1]);
  for (let at = from; at < path.length; at += 1) {
    const key = path[at]!;
    const holder = asObject(value);
    if (holder) {
      // Arguments are anybody's whatever their keys say.
      if (key === 'input' || (key === 'input_examples' && isTool)) return 'data';
      if (key === 'input_schema') return toSchemaLeaf(path, at + 1);
      if (isMedia(holder, key, path[at - 1])) return 'media';
      if (isFixed(holder, key) || (isTool && TOOL_KEYS.has(key))) return 'fixed';
      if (isSigned(holder, key)) return 'signed';
      isTool ||= TOOL_HOLDERS.has(key);
    }
    value = valueAt(value, [key], 1);
  }
  return 'text';
};

const isMedia = (holder: JsonObject, key: unknown, above: unknown): boolean => {
  if (above === 'source') return MEDIA_KEYS.has(key) && holder.type !== 'text';
  // A citation only says where it was found.
  return key === 'file_id' && holder.cited_text === undefined;
};

const isFixed = (holder: JsonObject, key: unknown): boolean =>
  BLOCK_KEYS.has(key) ||
  KEYS_OF_TYPE.get(holder.type)?.includes(key) === true ||
  (key === 'file_id' && holder.cited_text !== undefined);

const isSigned = (holder: JsonObject, key: unknown): boolean =>
  SIGNED_KEYS.has(key) ||
  (holder.type === 'redacted_thinking' && key === 'data') ||
  // Thinking without a seal was written by us, from an answer of the other dialect.
  (holder.type === 'thinking' && key === 'thinking' && Boolean(holder.signature)) ||
  // A signature holds a summary, and the tools it knew, to what they were.
  (holder.type === 'compaction' && Boolean(holder.signature));
