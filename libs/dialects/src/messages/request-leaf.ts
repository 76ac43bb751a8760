import type { JsonObject, LeafPath, RequestLeaf } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';

/** Members of the body that hold words of our own, choices between them, or what a provider runs. */
const FIXED_MEMBERS = new Set([
  ...['model', 'service_tier', 'tool_choice', 'thinking', 'container', 'context_management'],
  ...['mcp_servers', 'betas', 'inference_geo', 'speed'],
]);
/** Keys of blocks that are no text wherever they stand. */
const FIXED_KEYS = new Set([
  ...['role', 'type', 'id', 'tool_use_id', 'signature', 'cache_control', 'media_type'],
  ...['encrypted_content', 'encrypted_index', 'encrypted_stdout', 'server_name', 'caller'],
]);
const CALLS = new Set<unknown>(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** What a string leaf of a messages body is; members that nobody knows are text. */
export const toRequestLeaf = (path: LeafPath, body: JsonObject): RequestLeaf => {
  const [member] = path;
  switch (member) {
    case 'system':
      return path.length > 2 ? toBlockLeaf(path, 2, body) : 'text';
    case 'messages':
      if (path[2] !== 'content') return FIXED_KEYS.has(String(path[2])) ? 'fixed' : 'text';
      return path.length > 4 ? toBlockLeaf(path, 4, body) : 'text';
    case 'tools':
      return toToolLeaf(path);
    case 'output_config':
    case 'output_format': {
      const schema = path.indexOf('schema');
      return schema < 0 ? 'fixed' : toSchemaLeaf(path, schema + 1);
    }
    default:
      return FIXED_MEMBERS.has(String(member)) ? 'fixed' : 'text';
  }
};

/** A leaf of the block at `path[at - 1]`; blocks stand in results and documents too. */
const toBlockLeaf = (path: LeafPath, at: number, body: JsonObject): RequestLeaf => {
  const key = path[at];
  const block = asObject(valueAt(body, path, at)) ?? {};
  if (CALLS.has(block.type) && key === 'input') return 'text';
  if (FIXED_KEYS.has(String(key))) return 'fixed';
  switch (key) {
    case 'thinking':
      return block.type === 'thinking' ? 'fixed' : 'text';
    case 'data':
      return block.type === 'redacted_thinking' ? 'fixed' : 'text';
    case 'name':
      return CALLS.has(block.type) ? 'fixed' : 'text';
    case 'file_id':
      return 'media';
    case 'source':
      return toSourceLeaf(path, at + 1, body);
    case 'content':
      return toInnerLeaf(path, at + 1, body);
    case 'citations':
      return FIXED_KEYS.has(String(path.at(-1))) ? 'fixed' : 'text';
    default:
      return 'text';
  }
};

/** `content` is a text, a block, or a list of blocks. */
const toInnerLeaf = (path: LeafPath, at: number, body: JsonObject): RequestLeaf => {
  if (at >= path.length) return 'text';
  return toBlockLeaf(path, typeof path[at] === 'number' ? at + 1 : at, body);
};

/** A source is plain text, blocks, or media; of a search result it is a text itself. */
const toSourceLeaf = (path: LeafPath, at: number, body: JsonObject): RequestLeaf => {
  const key = path[at];
  if (key === undefined) return 'text';
  if (key === 'content') return toInnerLeaf(path, at + 1, body);
  if (FIXED_KEYS.has(String(key))) return 'fixed';
  return asObject(valueAt(body, path, at))?.type === 'text' ? 'text' : 'media';
};

/** `tools[0].key...` */
const toToolLeaf = (path: LeafPath): RequestLeaf => {
  const key = path[2];
  if (key === 'input_schema') return toSchemaLeaf(path, 3);
  return key === 'description' || key === 'input_examples' || key === 'user_location'
    ? 'text'
    : 'fixed';
};
