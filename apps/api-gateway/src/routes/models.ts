import type { ModelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Route } from '../http/route.ts';
import { CALL_TIMEOUT_MS } from '../http/call-timeout.ts';
import { CHAT_ERROR } from './error-schema.ts';

/** `GET /v1/models` (Seed 4.6): the service's addresses and what its providers offer. */
export const modelsRoute = (models: Client<typeof ModelService>): Route => ({
  id: 'listModels',
  method: 'get',
  path: '/v1/models',
  surface: 'chat-completions',
  summary: 'Names that the model field may hold',
  tag: 'Gateway',
  scopes: ['gateway', 'gateway:read'],
  answers: {
    200: {
      description: 'The models',
      schema: {
        type: 'object',
        required: ['object', 'data'],
        additionalProperties: false,
        properties: {
          object: { const: 'list' },
          data: {
            type: 'array',
            items: {
              type: 'object',
              required: ['id', 'object', 'created', 'owned_by'],
              additionalProperties: false,
              properties: {
                id: { type: 'string' },
                object: { const: 'model' },
                created: { type: 'integer' },
                owned_by: { type: 'string' },
              },
            },
          },
        },
      },
    },
    401: CHAT_ERROR('No valid key'),
  },
  handle: async ({ principal, requestId, signal }) => {
    const answer = await models.listModels(
      {},
      { workspaceId: principal!.workspaceId, requestId, signal, timeoutMs: CALL_TIMEOUT_MS },
    );
    const data = answer.models.map(({ id, created, ownedBy }) => ({
      id,
      object: 'model',
      created: Number(created),
      owned_by: ownedBy,
    }));
    return { status: 200, json: { object: 'list', data } };
  },
});
