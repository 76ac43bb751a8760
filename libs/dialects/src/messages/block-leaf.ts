import type { JsonObject, LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';

/** Keys of blocks and their parts whose value is never text. */
const BLOCK_KEYS = new Set<unknown>([
  ...['type', 'id', 'tool_use_id', 'tab_id', 'download_id', 'caller', 'cache_control'],
  ...['tool_name', 'toolset_name', 'server_name', 'mcp_server_name'],
  ...['error_code', 'stop_reason', 'media_type', 'file_type', 'retrieved_at', 'transformations'],
]);
/** Keys of signed or encrypted values. */
const SIGNED_KEYS = new Set<unknown>([
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout'],
]);
/** The same for tools, in addition to those of blocks. */
const TOOL_KEYS = new Set<unknown>([
  ...['name', 'model', 'caching', 'allowed_callers', 'allowed_domains', 'blocked_domains'],
  ...['response_inclusion', 'country', 'timezone'],
]);
/** The same for blocks of one type. */
const KEYS_OF_TYPE: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['tool_use', ['name']],
  ['server_tool_use', ['name']],
  ['mcp_tool_use', ['name']],
  ['fallback', ['from', 'to', 'trigger']],
]);
/** Members that hold tools. */
const TOOL_HOLDERS = new Set<unknown>(['tools', 'tool']);
/** Keys of a media source. */
const MEDIA_KEYS = new Set<unknown>(['data', 'url', 'file_id']);

/**
 * Returns the kind of a leaf of blocks, which hold sources, results, tools and more blocks: the
 * first key from `path[from]` with a kind of its own decides.
 */
export const toBlockLeaf = (path: LeafPath, from: number, body: JsonObject): RequestLeaf => {
  let value = valueAt(body, path, from);
  let isTool = TOOL_HOLDERS.has(path[from - 1]);
  for (let at = from; at < path.length; at += 1) {
    const key = path[at]!;
    const holder = asObject(value);
    if (holder) {
      // Arguments are the client's data, whatever their keys.
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
  // A citation only refers to its file.
  return key === 'file_id' && holder.cited_text === undefined;
};

const isFixed = (holder: JsonObject, key: unknown): boolean =>
  BLOCK_KEYS.has(key) ||
  KEYS_OF_TYPE.get(holder.type)?.includes(key) === true ||
  (key === 'file_id' && holder.cited_text !== undefined);

const isSigned = (holder: JsonObject, key: unknown): boolean =>
  SIGNED_KEYS.has(key) ||
  (holder.type === 'redacted_thinking' && key === 'data') ||
  // Unsigned thinking was written by this gateway, from an answer of the other dialect.
  (holder.type === 'thinking' && key === 'thinking' && Boolean(holder.signature)) ||
  // A signature covers a summary and the tools that it mentions.
  (holder.type === 'compaction' && Boolean(holder.signature));
