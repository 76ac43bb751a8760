import { invalidRequest, ServiceError } from '@witan/contracts';
import { responses } from '@witan/dialects';
import type { AnswerPiece, Dialect, JsonObject } from '@witan/dialects';
import type { Route, RouteCall } from '../../http/route.ts';
import { messagesOfUser, toCompaction, toSummaryInput } from '../../stored-response/compaction.ts';
import { expandRequest } from './expand-request.ts';
import { toInputItems } from '../../stored-response/stored-response.ts';
import { DIALECT_BYTES_MAX, dialectResponses, PROOF_HEADERS } from './dialect-route.ts';
import { COMPACTED_RESPONSE, RESPONSES_REQUEST } from './responses-schema.ts';
import { runCompletion, writeAnswer } from './serve-completion.ts';
import type { CompletionServices, Storing } from './serve-completion.ts';
import { openResponseWriter } from './response-writer.ts';

const DESCRIPTION = `
Returns the messages of the user, and one \`compaction\` item that stands for the rest. Its content
is a summary that the addressed model writes, certified like any answer; it can be read, and sent to
any model. An incomplete or empty summary, or a refusal, is an error. Nothing is stored. The summary
of a conversation that the local runtime took part in is written on this machine; like any answer it
is then in the hands of the client, which may send it to any model.
`.trim();

export const compactResponseRoute = (
  services: CompletionServices,
  options: { timeoutMs: number; storing: Storing },
): Route => ({
  id: 'compactResponse',
  method: 'post',
  path: '/v1/responses/compact',
  surface: 'responses',
  summary: 'A shorter form of a conversation in the responses dialect',
  description: DESCRIPTION,
  tag: 'Gateway',
  scopes: ['gateway'],
  body: COMPACT_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  limitsMemory: true,
  idempotent: true,
  responses: {
    200: {
      description: 'The compacted conversation, to be sent as `input`',
      schema: COMPACTED_RESPONSE,
      headers: PROOF_HEADERS,
    },
    ...dialectResponses('responses'),
  },
  handle: (call) => compact(services, call, options),
});

const compact = async (
  services: CompletionServices,
  call: RouteCall,
  { timeoutMs, storing }: { timeoutMs: number; storing: Storing },
): Promise<undefined> => {
  const { body, origin } = await expandRequest(call, call.principal!, storing);
  const items = toInputItems(body.input);
  if (items.length === 0) {
    throw invalidRequest('input: must hold at least one item.', { param: 'input' });
  }
  const summaryBody = {
    model: body.model,
    ...(body.instructions !== undefined && { instructions: body.instructions }),
    input: toSummaryInput(items),
    stream: false,
    store: false,
  };
  const options = { timeoutMs, sent: { body: summaryBody }, isLocal: origin.isLocal };
  const dialect = toCompactingDialect(items);
  const writer = openResponseWriter(dialect, { ...call, body: summaryBody });
  await writeAnswer(writer, dialect, call, (sink) =>
    runCompletion(services, responses, call, options, sink),
  );
  return undefined;
};

/** Returns the dialect whose answers are a compacted conversation. */
const toCompactingDialect = (items: readonly JsonObject[]): Dialect => ({
  ...responses,
  encodeResponse: (head, pieces, tail) => {
    const summary = pieces.map(textOf).join('');
    const isRefused = pieces.some((piece) => piece.case === 'refusal');
    if (tail.finishReason !== 'stop' || isRefused || summary.trim() === '') {
      throw incompleteSummary();
    }
    const { id, created_at, usage } = responses.encodeResponse(head, [], tail) as JsonObject;
    const compaction = toCompaction(head.id, summary);
    return {
      id,
      object: 'response.compaction',
      created_at,
      output: [...messagesOfUser(items), compaction],
      usage,
    };
  },
});

const textOf = (piece: AnswerPiece): string => (piece.case === 'text' ? piece.value : '');

const incompleteSummary = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model did not complete the summary.');

const { model, input, instructions, previous_response_id } = RESPONSES_REQUEST.properties;
const COMPACT_REQUEST = {
  type: 'object',
  required: ['model'],
  properties: { model, input, instructions, previous_response_id },
} as const;
