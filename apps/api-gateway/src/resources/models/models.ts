import type { Request } from 'express';
import { notFound } from '@witan/contracts';
import type { Agent, Model } from '@witan/contracts';
import type { AgentService, ModelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { closedObject, flag, nullableText, text } from '../../http/schema.ts';

type ModelClients = {
  models: Client<typeof ModelService>;
  agents: Client<typeof AgentService>;
};

const CHAT_MODEL = closedObject({
  id: text,
  object: { const: 'model' },
  created: { type: 'integer' },
  owned_by: text,
});

const MESSAGES_MODEL = closedObject({
  type: { const: 'model' },
  id: text,
  display_name: text,
  created_at: text,
});

const CHAT_MODELS = closedObject({
  object: { const: 'list' },
  data: { type: 'array', items: CHAT_MODEL },
});

const MESSAGES_MODELS = closedObject({
  data: { type: 'array', items: MESSAGES_MODEL },
  has_more: flag,
  first_id: nullableText,
  last_id: nullableText,
});

const EITHER_MODEL = { oneOf: [CHAT_MODEL, MESSAGES_MODEL] } as const;

const EITHER_MODELS = { oneOf: [CHAT_MODELS, MESSAGES_MODELS] } as const;

const shared = {
  method: 'get',
  surface: 'chat-completions',
  surfaceFor: (request: Request) =>
    usesMessagesDialect(request) ? ('messages' as const) : ('chat-completions' as const),
  tag: 'Gateway',
  scopes: ['gateway', 'gateway:read'],
} as const;

export const modelsRoute = (clients: ModelClients): Route => ({
  ...shared,
  id: 'listModels',
  path: '/v1/models',
  summary: 'Names that the model field may hold; with `anthropic-version` in that dialect',
  responses: { 200: { description: 'The models', schema: EITHER_MODELS } },
  handle: async (call) => {
    const list = await listModels(clients, call);
    const json = usesMessagesDialect(call.request)
      ? {
          data: list.map(toMessagesModel),
          has_more: false,
          first_id: list[0]?.id ?? null,
          last_id: list.at(-1)?.id ?? null,
        }
      : { object: 'list', data: list.map(toChatModel) };
    return { status: 200, json };
  },
});

export const modelRoute = (clients: ModelClients): Route => ({
  ...shared,
  id: 'getModel',
  path: '/v1/models/{id}',
  summary: 'One name that the model field may hold',
  responses: {
    200: { description: 'The model', schema: EITHER_MODEL },
    404: DOCUMENTED_ERROR['chat-completions']('There is no such model'),
  },
  handle: async (call) => {
    const { id } = call.params;
    const found = (await listModels(clients, call)).find((model) => model.id === id);
    if (!found) throw notFound(`No provider of this workspace lists a model "${id}".`);
    const toModel = usesMessagesDialect(call.request) ? toMessagesModel : toChatModel;
    return { status: 200, json: toModel(found) };
  },
});

type ListedModel = Pick<Model, 'id' | 'ownedBy' | 'created'>;

const AGENTS_MAX = 500;

const listModels = async (
  { models, agents }: ModelClients,
  call: RouteCall,
): Promise<ListedModel[]> => {
  const options = optionsOf(call);
  const [listedModels, foundAgents] = await Promise.all([
    models.listModels({}, options),
    agents.listAgents({ limit: AGENTS_MAX }, options),
  ]);
  return [...listedModels.models, ...foundAgents.agents.map(toListedModel)];
};

const toListedModel = ({ slug, createdAt }: Agent): ListedModel => ({
  id: `agent:${slug}`,
  ownedBy: 'workspace',
  created: createdAt!.seconds,
});

const usesMessagesDialect = (request: Request): boolean =>
  request.get('anthropic-version') !== undefined;

const toChatModel = ({ id, created, ownedBy }: ListedModel): object => ({
  id,
  object: 'model',
  created: Number(created),
  owned_by: ownedBy,
});

const toMessagesModel = ({ id, created }: ListedModel): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(Number(created) * 1_000).toISOString(),
});
