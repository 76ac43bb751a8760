import type { PreviewResponse } from '@witan/contracts';
import type { AgentService, PreviewService } from '@witan/contracts/services';
import type { DialectName } from '@witan/dialects';
import { ROUTING_REASONS, TASK_TYPES } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/route.ts';
import type { JsonSchema, Route } from '../../http/route.ts';
import { closedObject, count, text, texts } from '../../http/schema.ts';
import { CHAT_REQUEST } from './chat-schema.ts';
import { findAgentModel, readDialectRequest } from './dialect-request.ts';
import { DIALECT_BYTES_MAX, dialectResponses } from './dialect-route.ts';
import { groundCall } from './ground-call.ts';
import type { Knowledge } from './ground-call.ts';
import { MESSAGES_REQUEST } from './messages-schema.ts';
import { RESPONSES_REQUEST } from './responses-schema.ts';

export type PreviewClients = {
  previews: Client<typeof PreviewService>;
  agents: Pick<Client<typeof AgentService>, 'findAgent'>;
  knowledge: Pick<Knowledge, 'retrieve'>;
};

type Previewed = { id: string; path: string; dialect: DialectName; body: JsonSchema };

/** The calls that can be previewed: the path is that of the call, followed by `/preview`. */
const PREVIEWED: readonly Previewed[] = [
  {
    id: 'previewChatCompletion',
    path: '/v1/chat/completions/preview',
    dialect: 'chat-completions',
    body: CHAT_REQUEST,
  },
  {
    id: 'previewMessage',
    path: '/v1/messages/preview',
    dialect: 'messages',
    body: MESSAGES_REQUEST,
  },
  {
    id: 'previewResponse',
    path: '/v1/responses/preview',
    dialect: 'responses',
    body: RESPONSES_REQUEST,
  },
];

const MASKED_VALUE = closedObject({
  placeholder: { ...text, description: 'As in the body, without brackets: EMAIL_K7Q2MX' },
  category: { ...text, description: 'LITERAL: a text that looks like a placeholder' },
  value: { ...text, description: 'The text that it replaces, of the caller or of a document' },
});

const PREVIEW = closedObject({
  egress: closedObject({
    provider: text,
    model: text,
    sha256: {
      ...text,
      description:
        'SHA-256 of the UTF-8 bytes of `body`; see above when the certificate has the same',
    },
    pii: closedObject({ masked: count, categories: texts }),
    body: { ...text, description: 'The JSON text that the provider would get' },
  }),
  masked: { type: 'array', items: MASKED_VALUE, description: 'The values masked in `body`' },
  routing: closedObject({ reason: { enum: ROUTING_REASONS }, taskType: { enum: TASK_TYPES } }),
  droppedParams: { ...texts, description: 'Members that the target does not take' },
});

const DESCRIPTION = `
The body is that of the call itself. It is routed and masked as the call would be, for the first
target; nothing is sent to a provider, reserved, certified or stored. With \`+knowledge\` the
passages are in it, so masked values can come from documents; they are searched by terms alone, so
with an embedding model the call itself may have others. For \`agent:<slug>\` it has the
members of the caller's own body only: persona, memories and documents are added, and masked
likewise, when the agent answers. Stored responses that a body refers to are not inserted.

\`egress.sha256\` is that of the call's certificate if the first target answers with the output
limit as requested. It differs for \`agent:<slug>\`, after a fallback, for a body that refers to a
stored response, and if the limit is lowered to the tokens that the account has.
`.trim();

/** Returns one route for each dialect, which shows what its calls would send to the provider. */
export const previewRoutes = (clients: PreviewClients): Route[] =>
  PREVIEWED.map(({ id, path, dialect, body }) => ({
    id,
    method: 'post',
    path,
    surface: dialect,
    summary: 'What the provider would get: the masked body, the target and the reason',
    description: DESCRIPTION,
    tag: 'Gateway',
    scopes: ['gateway'],
    body,
    bodyBytesMax: DIALECT_BYTES_MAX,
    limitsMemory: true,
    responses: {
      200: { description: 'The preview', schema: PREVIEW },
      ...dialectResponses(dialect),
    },
    handle: async (call) => {
      const options = optionsOf(call);
      const { address, headers, query } = readDialectRequest(call, dialect);
      const wire = { dialect, json: call.source, headers, query };
      const isAgent = address.kind === 'agent';
      if (isAgent) address.model = await findAgentModel(clients.agents, address, options);
      const isGrounded = address.knowledge && !isAgent;
      const { systemPreamble } = isGrounded
        ? // A preview sends nothing to a provider, not even its question to be embedded.
          await groundCall(clients.knowledge, { body: call.body, embeddingAllowed: false }, options)
        : { systemPreamble: '' };
      const previewed = await clients.previews.previewCall(
        { address, wire, systemPreamble },
        options,
      );
      return { status: 200, json: encodePreview(previewed) };
    },
  }));

const encodePreview = ({ provider, model, sha256, ...previewed }: PreviewResponse): object => ({
  egress: {
    provider,
    model,
    sha256,
    pii: { masked: previewed.maskedCount, categories: previewed.categories },
    body: Buffer.from(previewed.body).toString('utf8'),
  },
  masked: previewed.masked.map(({ placeholder, category, value }) => ({
    placeholder,
    category,
    value,
  })),
  routing: { reason: previewed.routingReason, taskType: previewed.taskType },
  droppedParams: previewed.droppedParams,
});
