import { responses } from '@witan/dialects';
import type { Route } from '../../http/route.ts';
import { ADDRESSES, DIALECT_BYTES_MAX, dialectResponses, PROOF_HEADERS } from './dialect-route.ts';
import { RESPONSE, RESPONSES_REQUEST } from './responses-schema.ts';
import { serveBackground } from './serve-background.ts';
import type { BackgroundOptions } from './serve-background.ts';
import { serveCompletion } from './serve-completion.ts';
import type { CompletionServices } from './serve-completion.ts';

const STATE = `
A provider that speaks this dialect gets the body as it is, with \`store\`, its own
\`previous_response_id\` and its own tools, and stores the response itself. For any other model the
gateway converts the call and, unless \`store\` is false, stores the response for 30 days,
encrypted: \`previous_response_id\` and an \`item_reference\` then continue it with any model,
or, if the local runtime made one of the responses, on this machine only. What
cannot be converted is refused by name: tools that a provider runs itself, stored prompts and
conversations. With \`background: true\` the gateway carries out the call without its client, for
any model, and stores the response.
`.trim();

export const responsesRoute = (
  completionServices: CompletionServices,
  options: BackgroundOptions,
): Route => {
  const inForeground = serveCompletion(completionServices, responses, options);
  const inBackground = serveBackground(completionServices, options);
  return {
    id: 'createResponse',
    method: 'post',
    path: '/v1/responses',
    surface: 'responses',
    summary: 'One certified completion in the responses dialect',
    description: `${ADDRESSES}\n\n${STATE}`,
    tag: 'Gateway',
    scopes: ['gateway'],
    body: RESPONSES_REQUEST,
    bodyBytesMax: DIALECT_BYTES_MAX,
    limitsMemory: true,
    limitsStreams: true,
    idempotent: true,
    responses: {
      200: {
        description: 'The answer, or with `stream: true` its events as server-sent events.',
        schema: RESPONSE,
        streamedAs: 'text/event-stream',
        headers: PROOF_HEADERS,
      },
      202: {
        description: 'With `background: true`: the queued response, to be read with `getResponse`',
        schema: RESPONSE,
        headers: { 'x-service-proof': PROOF_HEADERS['x-service-proof'] },
      },
      ...dialectResponses('responses'),
    },
    handle: (call) => (call.body.background === true ? inBackground(call) : inForeground(call)),
  };
};
