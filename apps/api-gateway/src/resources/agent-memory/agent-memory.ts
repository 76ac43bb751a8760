import { isServiceError, ServiceError } from '@witan/contracts';
import type { MemoryService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ValidationError } from '../../http/validation-error.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { MEMORIES, NEW_MEMORIES, SAVED_MEMORIES } from './agent-memory-schema.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { AGENT_ID, MEMORY_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Memories = Client<typeof MemoryService>;
type Body = Static<typeof NEW_MEMORIES>;
type NewMemoryBody = NonNullable<Body['memories']>[number];

const shared = {
  path: '/v1/agents/{id}/memory',
  surface: 'native',
  tag: 'Agents',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such agent in this workspace');

export const saveMemoriesRoute = (memories: Memories): Route => ({
  ...shared,
  id: 'saveMemories',
  method: 'post',
  summary: 'Teach an agent memories, one or several; what it had under a key is replaced',
  scopes: ['agents'],
  body: NEW_MEMORIES,
  idempotent: true,
  responses: {
    201: { description: 'The memories as they are now', schema: SAVED_MEMORIES },
    400: DOCUMENTED_ERROR.native('A key or value is missing, empty or too long'),
    404: notFoundError,
    409: DOCUMENTED_ERROR.native(
      'The agent or the workspace has as many memories as it may (memory_limit_reached), or a ' +
        'call with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const memoryDrafts = toNewMemories(call.body);
    const request = { agentId: AGENT_ID.read(call.params.id), memories: memoryDrafts };
    const saved = await memories
      .saveMemories(request, optionsOf(call))
      .catch((error: unknown) => rethrowWithRequestParam(error, call.body));
    return reply(201, SAVED_MEMORIES, saved);
  },
});

export const memoriesRoute = (memories: Memories): Route => ({
  ...shared,
  id: 'listMemories',
  method: 'get',
  summary: "List what an agent knows, newest first: its own memories and the workspace's",
  scopes: ['agents', 'agents:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The memories', schema: MEMORIES },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { agentId: AGENT_ID.read(call.params.id), ...readPage(call, MEMORY_ID.is) };
    return reply(200, MEMORIES, await memories.listMemories(request, optionsOf(call)));
  },
});

export const deleteMemoryRoute = (memories: Memories): Route => ({
  ...shared,
  id: 'deleteMemory',
  method: 'delete',
  path: '/v1/agents/{id}/memory/{memoryId}',
  summary: 'Have an agent forget a memory; a global one is gone for every agent',
  scopes: ['agents'],
  responses: {
    204: { description: 'It is gone' },
    404: DOCUMENTED_ERROR.native('No such memory of this agent'),
  },
  handle: async (call) => {
    const request = {
      agentId: AGENT_ID.read(call.params.id),
      memoryId: MEMORY_ID.read(call.params.memoryId),
    };
    await memories.deleteMemory(request, optionsOf(call));
    return { status: 204 };
  },
});

/**
 * Returns the memories of a body, which contains either a list (`memories`) or a single memory.
 * Throws INVALID_REQUEST if it contains both or neither.
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
