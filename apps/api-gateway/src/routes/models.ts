import type { Request } from 'express';
import { notFound } from '@witan/contracts';
import type { Model } from '@witan/contracts';
import type { ModelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from '../http/call-timeout.ts';
import type { Route, RouteCall } from '../http/route.ts';
import { DOCUMENTED_ERROR } from './error-schema.ts';
import { EITHER_MODEL, EITHER_MODELS } from './models-schema.ts';

type Models = Client<typeof ModelService>;

const shared = {
  method: 'get',
  surface: 'chat-completions',
  surfaceFor: (request: Request) =>
    speaksMessages(request) ? ('messages' as const) : ('chat-completions' as const),
  tag: 'Gateway',
  scopes: ['gateway', 'gateway:read'],
} as const;

/** `GET /v1/models` (Seed 4.6): the service's addresses and what its providers offer. */
export const modelsRoute = (models: Models): Route => ({
  ...shared,
  id: 'listModels',
  path: '/v1/models',
  summary: 'Names that the model field may hold; with `anthropic-version` in that dialect',
  answers: { 200: { description: 'The models', schema: EITHER_MODELS } },
  handle: async (call) => {
    const list = await listModels(models, call);
    const json = speaksMessages(call.request)
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

/** `GET /v1/models/{id}`: one of them. */
export const modelRoute = (models: Models): Route => ({
  ...shared,
  id: 'getModel',
  path: '/v1/models/{id}',
  summary: 'One name that the model field may hold',
  params: { id: { type: 'string' } },
  answers: {
    200: { description: 'The model', schema: EITHER_MODEL },
    404: DOCUMENTED_ERROR['chat-completions']('There is no such model'),
  },
  handle: async (call) => {
    const { id } = call.params;
    const found = (await listModels(models, call)).find((model) => model.id === id);
    if (!found) throw notFound(`No provider of this workspace lists a model "${id}".`);
    const toModel = speaksMessages(call.request) ? toMessagesModel : toChatModel;
    return { status: 200, json: toModel(found) };
  },
});

const listModels = async (models: Models, call: RouteCall): Promise<Model[]> => {
  const { principal, requestId, signal } = call;
  const { workspaceId } = principal!;
  const options = { workspaceId, requestId, signal, timeoutMs: CALL_TIMEOUT_MS };
  return (await models.listModels({}, options)).models;
};

const speaksMessages = (request: Request): boolean =>
  request.get('anthropic-version') !== undefined;

const toChatModel = ({ id, created, ownedBy }: Model): object => ({
  id,
  object: 'model',
  created: Number(created),
  owned_by: ownedBy,
});

const toMessagesModel = ({ id, created }: Model): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(Number(created) * 1_000).toISOString(),
});
