import { invalidRequest, notFound } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import { yieldAfter } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { verifyModules } from '../../auth/scope.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { closedObject, nullableText, text } from '../../http/schema.ts';
import { isOwnResponseId } from '../../stored-response/stored-response.ts';
import type { FoundResponse, ResponseStore } from '../../stored-response/stored-response.ts';
import { PROOF_HEADERS } from '../completions/dialect-route.ts';
import { RESPONSE } from '../completions/responses-schema.ts';
import { runAudited } from '../run-audited.ts';

const ITEMS_MAX = 100;
const ITEMS_DEFAULT = 20;

const NOT_STORED = DOCUMENTED_ERROR.responses('The response is not stored, or not any more');

const TOO_MANY_BYTES = DOCUMENTED_ERROR.responses(
  'The running calls of the workspace take all its memory for bodies (too_many_uploads)',
);

const NOT_ALLOWED = DOCUMENTED_ERROR.responses(
  'The key lacks the scope gateway, or one that the address of the response needed',
);

/** `gateway:read` does not suffice, because it reads certificates, which have no content. */
const shared = {
  surface: 'responses',
  tag: 'Gateway',
  scopes: ['gateway'],
  limitsMemory: true,
} as const;

type Store = Pick<ResponseStore, 'find' | 'findInput' | 'remove'>;

/** Returns the routes of responses that the gateway stores; a provider's own are not among them. */
export const storedResponseRoutes = (store: Store, recordAudit: RecordAudit): Route[] => {
  const read = async ({ params, principal, memory }: RouteCall): Promise<FoundResponse> => {
    const { id = '' } = params;
    const stored =
      isOwnResponseId(id) && (await store.find(principal!.workspaceId, id, memory?.grow));
    if (!stored) throw notStored(id);
    verifyModules(stored.modules, principal!.scopes);
    return stored;
  };
  return [
    getRoute(read),
    deleteRoute(read, { ...store, recordAudit }),
    inputItemsRoute(read, store),
  ];
};

type Read = (call: RouteCall) => Promise<FoundResponse>;

const getRoute = (read: Read): Route => ({
  ...shared,
  id: 'getResponse',
  method: 'get',
  path: '/v1/responses/{id}',
  summary: 'A response that the gateway stores',
  responses: {
    200: {
      description: 'The response',
      schema: RESPONSE,
      headers: { 'x-service-proof': PROOF_HEADERS['x-service-proof'] },
    },
    403: NOT_ALLOWED,
    404: NOT_STORED,
    429: TOO_MANY_BYTES,
  },
  handle: async (call) => {
    const { response, proofId } = await read(call);
    return encodeInStep(response, { 'x-service-proof': proofId });
  },
});

const deleteRoute = (
  read: Read,
  { remove, recordAudit }: Pick<Store, 'remove'> & { recordAudit: RecordAudit },
): Route => ({
  ...shared,
  id: 'deleteResponse',
  method: 'delete',
  path: '/v1/responses/{id}',
  summary: 'Delete a response that the gateway stores; those that continue it end with it',
  responses: {
    200: { description: 'It is deleted', schema: DELETED },
    403: NOT_ALLOWED,
    404: NOT_STORED,
  },
  handle: async (call) => {
    const { id } = await read(call);
    const { workspaceId } = call.principal!;
    const entry = { action: 'response.deleted', subject: id, recordAudit } as const;
    await runAudited(call, entry, async () => {
      if (!(await remove(workspaceId, id))) throw notStored(id);
    });
    return { status: 200, json: { id, object: 'response', deleted: true } };
  },
});

const inputItemsRoute = (read: Read, { findInput }: Pick<Store, 'findInput'>): Route => ({
  ...shared,
  id: 'listResponseInputItems',
  method: 'get',
  path: '/v1/responses/{id}/input_items',
  summary: 'The items of the request of a stored response, newest first',
  query: {
    order: { enum: ['asc', 'desc'], description: 'desc by default' },
    limit: { type: 'integer', minimum: 1, maximum: ITEMS_MAX },
    after: { type: 'string', description: 'Id of the item after which the list begins' },
  },
  responses: {
    200: { description: 'The items', schema: ITEMS },
    403: NOT_ALLOWED,
    404: NOT_STORED,
    429: TOO_MANY_BYTES,
  },
  handle: async (call) => {
    const { order = 'desc', limit = ITEMS_DEFAULT, after } = call.query as ItemsQuery;
    const { id } = await read(call);
    const input = await findInput(call.principal!.workspaceId, id, call.memory?.grow);
    if (!input) throw notStored(id);
    const items = toListedItems(id, input);
    const ordered = order === 'desc' ? items.toReversed() : items;
    const start = after === undefined ? 0 : indexOf(ordered, after) + 1;
    const data = ordered.slice(start, start + limit);
    return encodeInStep({
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + limit < ordered.length,
    });
  },
});

/** Encodes what may have megabytes; it is sent in a later step, so that other calls run between. */
const encodeInStep = async (
  json: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> => {
  const body = JSON.stringify(json);
  await yieldAfter(body.length);
  const contentType = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, text: body, headers: { ...contentType, ...headers } };
};

const indexOf = (items: readonly JsonObject[], after: string): number => {
  const index = items.findIndex(({ id }) => id === after);
  if (index === -1) throw invalidRequest('after: no item has this id.', { param: 'after' });
  return index;
};

type ItemsQuery = { order?: 'asc' | 'desc'; limit?: number; after?: string };

const DELETED = closedObject({
  id: text,
  object: { const: 'response' },
  deleted: { const: true },
});

const ITEMS = closedObject({
  object: { const: 'list' },
  data: {
    type: 'array',
    items: { type: 'object', required: ['id', 'type'], properties: { id: text, type: text } },
  },
  first_id: nullableText,
  last_id: nullableText,
  has_more: { type: 'boolean' },
});

const notStored = (id: string): Error =>
  notFound(`The response "${id}" is not stored in this workspace.`, {
    code: 'response_not_found',
    param: 'id',
  });

/** Returns the items of a request with ids, which they need not have, and content as a list. */
const toListedItems = (id: string, input: readonly JsonObject[]): JsonObject[] =>
  input.map((item, index) => ({
    ...item,
    id: item.id ?? `in_${id.replace('resp_', '')}_${index}`,
    type: item.type ?? 'message',
    ...(typeof item.content === 'string' && {
      content: [
        { type: item.role === 'assistant' ? 'output_text' : 'input_text', text: item.content },
      ],
    }),
  }));
