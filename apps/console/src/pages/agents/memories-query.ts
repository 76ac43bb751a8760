import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type Memory = Schemas['ListMemoriesAnswer']['memories'][number];
export type Revision = Schemas['ListMemoryRevisionsAnswer']['revisions'][number];
export type MemoryType = Memory['type'];
export type MemoryDraft = Pick<Memory, 'key' | 'value' | 'type' | 'global'>;

const PAGE = 50;

/** What the agent knows, newest first: its own memories and those of the workspace. */
export const memoriesQuery = (agentId: string) =>
  infiniteQueryOptions({
    queryKey: ['agent', agentId, 'memories'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const params = { path: { id: agentId }, query: { limit: PAGE, cursor } };
      return dataOf(api.GET('/v1/agents/{id}/memory', { params, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The values that a memory had before, newest first. */
export const revisionsQuery = (agentId: string, { id: memoryId, updatedAt }: Memory) =>
  queryOptions({
    queryKey: ['agent', agentId, 'revisions', memoryId, updatedAt],
    queryFn: async ({ signal }) => {
      const params = { path: { id: agentId, memoryId } };
      const path = '/v1/agents/{id}/memory/{memoryId}/revisions';
      return (await dataOf(api.GET(path, { params, signal }))).revisions;
    },
  });

/** Stores a memory; the value that its key had becomes a revision. */
export const saveMemory = (agentId: string, body: MemoryDraft) =>
  dataOf(api.POST('/v1/agents/{id}/memory', { params: { path: { id: agentId } }, body }));

export const deleteMemory = (agentId: string, memoryId: string) =>
  dataOf(
    api.DELETE('/v1/agents/{id}/memory/{memoryId}', {
      params: { path: { id: agentId, memoryId } },
    }),
  );

export const TYPES: readonly { value: MemoryType; label: string }[] = [
  { value: 'fact', label: 'Fact' },
  { value: 'preference', label: 'Preference' },
  { value: 'decision', label: 'Decision' },
  { value: 'goal', label: 'Goal' },
  { value: 'note', label: 'Note' },
];

export const labelOf = (type: MemoryType): string =>
  TYPES.find(({ value }) => value === type)!.label;

export const describeSource = (source: string): string =>
  source === 'tag' ? 'Written by the agent' : 'Written through the API';
