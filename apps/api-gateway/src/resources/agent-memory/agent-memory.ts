import { isServiceError, ServiceError } from '@witan/contracts';
import type { MemoryService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ValidationError } from '../../http/encode-native-error.ts';
import type { Route } from '../../http/route.ts';
import type { Static } from '../../http/schema.ts';
import { nativeRoutes } from '../native-routes.ts';
import { AGENT_ID, MEMORY_ID } from '../resource-id.ts';
import { MEMORIES, MEMORY_REVISIONS, NEW_MEMORIES, SAVED_MEMORIES } from './agent-memory-schema.ts';

type Body = Static<typeof NEW_MEMORIES>;
type NewMemoryBody = NonNullable<Body['memories']>[number];

const { create, list, get, remove } = nativeRoutes('Agents', 'agents');

const PATH = '/v1/agents/{id}/memory';

export const memoryRoutes = (memories: Client<typeof MemoryService>): Route[] => [
  create(PATH, {
    id: 'saveMemories',
    summary: 'Teach an agent memories, one or several; what it had under a key is replaced',
    ids: { id: AGENT_ID },
    body: NEW_MEMORIES,
    returns: 'The memories as they are now',
    schema: SAVED_MEMORIES,
    errors: {
      400: 'A key or value is missing, empty or too long',
      409:
        'The agent or the workspace has as many memories as it may (memory_limit_reached), or a ' +
        'call with this Idempotency-Key runs or lost its answer',
    },
    run: ({ ids, body, options }) =>
      memories
        .saveMemories({ agentId: ids.id, memories: toNewMemories(body) }, options)
        .catch((error: unknown) => rethrowWithRequestParam(error, body)),
  }),
  list(PATH, {
    id: 'listMemories',
    summary: "List what an agent knows, newest first: its own memories and the workspace's",
    ids: { id: AGENT_ID },
    returns: 'The memories',
    schema: MEMORIES,
    cursorId: MEMORY_ID,
    run: ({ ids, page, options }) => memories.listMemories({ agentId: ids.id, ...page }, options),
  }),
  get('/v1/agents/{id}/memory/{memoryId}/revisions', {
    id: 'listMemoryRevisions',
    summary: 'List the earlier values of a memory, newest first: the last 100',
    ids: { id: AGENT_ID, memoryId: MEMORY_ID },
    returns: 'The values that were replaced; none when it never changed',
    schema: MEMORY_REVISIONS,
    run: ({ ids, options }) =>
      memories.listMemoryRevisions({ agentId: ids.id, memoryId: ids.memoryId }, options),
  }),
  remove('/v1/agents/{id}/memory/{memoryId}', {
    id: 'deleteMemory',
    summary: 'Have an agent forget a memory; a global one is gone for every agent',
    ids: { id: AGENT_ID, memoryId: MEMORY_ID },
    run: ({ ids, options }) =>
      memories.deleteMemory({ agentId: ids.id, memoryId: ids.memoryId }, options),
  }),
];

/**
 * Returns the memories of a body, which contains either a list (`memories`) or a single memory.
 * Throws INVALID_REQUEST if it contains both, or a single memory without key or value.
 */
const toNewMemories = ({ memories, ...one }: Body): NewMemoryBody[] => {
  const singleMembers = Object.keys(one).filter((name) => MEMBERS.has(name));
  if (memories && singleMembers.length > 0) {
    const message = 'stands beside memories; send one memory or a list of them';
    throw new ValidationError(singleMembers.map((path) => ({ path, message })));
  }
  if (memories) return memories.map(toNewMemory);
  const missing = ['key', 'value'].filter((name) => !Object.hasOwn(one, name));
  if (missing.length === 0) return [toNewMemory(one as NewMemoryBody)];
  throw new ValidationError(missing.map((path) => ({ path, message: 'is required' })));
};

/**
 * Rethrows an error of the agents service, which accepts lists only. If the body was a single
 * memory, `memories[0].` is removed from the error, so that it names the body's own members.
 */
const rethrowWithRequestParam = (error: unknown, { memories }: Body): never => {
  if (memories || !isServiceError(error) || !error.fields.param?.startsWith(FIRST_MEMORY_PREFIX))
    throw error;
  const fields = { ...error.fields, param: error.fields.param.slice(FIRST_MEMORY_PREFIX.length) };
  throw new ServiceError(error.reason, error.message.replaceAll(FIRST_MEMORY_PREFIX, ''), {
    fields,
  });
};

const FIRST_MEMORY_PREFIX = 'memories[0].';

const MEMBERS: ReadonlySet<string> = new Set(['key', 'value', 'type', 'global']);

const toNewMemory = ({ key, value, type = '', global = false }: NewMemoryBody) => ({
  key,
  value,
  type,
  global,
});
