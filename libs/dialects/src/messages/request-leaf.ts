import type { LeafPath, RequestLeaf } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asObject } from '../json/lenient.ts';
import { toSchemaLeaf } from '../json/schema-leaf.ts';
import { valueAt } from '../json/value-at.ts';
import { toBlockLeaf } from './block-leaf.ts';

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
