import { afterEach, describe, expect, it } from '@jest/globals';
import { conflict, invalidRequest } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { MemoryService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import { memoryRoutes } from './agent-memory.ts';

let routes: OpenRoutes | undefined;
afterEach(async () => routes?.[Symbol.asyncDispose]());

const openMemoryRoute = async (refusal?: ServiceError) => {
  const seen: unknown[] = [];
  const memories = {
    saveMemories: async (request: unknown) => {
      seen.push(request);
      if (refusal) throw refusal;
      return { memories: [] };
    },
  } as unknown as Client<typeof MemoryService>;
  routes = await openRoutes(memoryRoutes(memories));
  const send = (body: object) => routes!.send('/v1/agents/agt_1/memory', { body });
  return { send, seen };
};

const CITY = { key: 'city', value: 'Rome' };
const COMPLETE_MEMORY = { ...CITY, type: 'fact', global: true };

describe('new memories', () => {
  it.each([
    ['one', COMPLETE_MEMORY, [COMPLETE_MEMORY]],
    ['one with defaults', CITY, [{ ...CITY, type: '', global: false }]],
    [
      'several',
      { memories: [COMPLETE_MEMORY, CITY] },
      [COMPLETE_MEMORY, { ...CITY, type: '', global: false }],
    ],
  ])('accept %s', async (_name, body, memories) => {
    const { send, seen } = await openMemoryRoute();
    const response = await send(body);
    expect([response.status, await response.json()]).toEqual([201, { memories: [] }]);
    expect(seen).toEqual([{ agentId: 'agt_1', memories }]);
  });

  it.each([
    ['nothing', {}, ['key', 'value']],
    ['no value', { key: 'city' }, ['value']],
    ['a blank key', { ...CITY, key: ' ' }, ['key']],
    ['a value with NUL', { ...CITY, value: '\0' }, ['value']],
    ['a key with a lone surrogate', { ...CITY, key: 'a\ud800' }, ['key']],
    ['a value with a lone surrogate', { ...CITY, value: '\udc00' }, ['value']],
    ['an empty list', { memories: [] }, ['memories']],
    ['a list without a key', { memories: [{ value: 'Rome' }] }, ['memories[0].key']],
    ['too many', { memories: Array(101).fill(CITY) }, ['memories']],
    ['a list and a single memory', { memories: [CITY], key: 'a', value: 'b' }, ['key', 'value']],
    ['a value that is too long', { ...CITY, value: 'a'.repeat(4_001) }, ['value']],
  ])('are refused with %s', async (_name, body, paths) => {
    const { send, seen } = await openMemoryRoute();
    const response = await send(body);
    const { error } = (await response.json()) as { error: { details: { path: string }[] } };
    const found = error.details.map(({ path }) => path);
    expect([response.status, found, seen]).toEqual([400, paths, []]);
  });

  it.each<[string, object, ServiceError, object]>([
    [
      'of the members of one memory',
      CITY,
      invalidRequest('memories[0].key is odd.', { param: 'memories[0].key' }),
      { status: 400, param: 'key', message: 'key is odd.' },
    ],
    [
      'of the items of a list',
      { memories: [CITY] },
      invalidRequest('memories[0].key is odd.', { param: 'memories[0].key' }),
      { status: 400, param: 'memories[0].key', message: 'memories[0].key is odd.' },
    ],
    [
      'of other parameters unchanged',
      CITY,
      conflict('It is full.', { code: 'memory_limit_reached' }),
      { status: 409, param: null, message: 'It is full.' },
    ],
  ])('are refused by the service with the paths %s', async (_name, body, refusal, expected) => {
    const { send } = await openMemoryRoute(refusal);
    const response = await send(body);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    const { param, message } = error;
    expect({ status: response.status, param, message }).toEqual(expected);
  });
});
