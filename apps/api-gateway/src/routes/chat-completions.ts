import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { Response } from 'express';
import { isServiceError } from '@witan/contracts';
import type { Opened } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import { encodeChatErrorFrame } from '@witan/dialects';
import { commitmentText } from '@witan/proof';
import { newId, toPublicError } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { checkServed, parseModelAddress } from '../domain/address/parse-model-address.ts';
import { JSON_DEPTH_MAX } from '../http/read-body.ts';
import type { Route, RouteCall } from '../http/route.ts';
import { CHAT_REQUEST, CHAT_RESPONSE } from './chat-schema.ts';
import { CHAT_ERROR, PROVIDER_ERROR } from './error-schema.ts';

/** Largest body of a dialect request, in bytes. */
const DIALECT_BYTES_MAX = 32 * 1024 * 1024;

type Completions = Client<typeof CompletionService>;

/** `POST /v1/chat/completions` (Seed 4.6): passthrough, streamed and not. */
export const chatCompletionsRoute = (completions: Completions, timeoutMs: number): Route => ({
  id: 'createChatCompletion',
  method: 'post',
  path: '/v1/chat/completions',
  surface: 'chat-completions',
  summary: 'One certified completion in the chat-completions dialect',
  tag: 'Gateway',
  scopes: ['gateway'],
  body: CHAT_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  answers: {
    200: {
      description: 'The answer, or with `stream: true` its chunks as server-sent events.',
      schema: CHAT_RESPONSE,
      streamedAs: 'text/event-stream',
      headers: { 'x-service-proof': 'Id of the certificate', 'x-service-model': 'What ran' },
    },
    400: CHAT_ERROR('The body is not a valid request'),
    404: CHAT_ERROR('There is no such agent'),
    501: CHAT_ERROR('The address is reserved'),
    502: CHAT_ERROR('The provider failed'),
    503: CHAT_ERROR('The ledger or a service is down; nothing was sent'),
    504: CHAT_ERROR('The provider did not answer in time'),
    '4XX': PROVIDER_ERROR,
    '5XX': PROVIDER_ERROR,
  },
  handle: async (call) => {
    const { body, source, principal, requestId, signal, response } = call;
    const address = parseModelAddress(String(body.model));
    checkServed(address);
    const proofId = newId('pf');
    const text = commitmentText(body, { maxDepth: JSON_DEPTH_MAX });
    const requestSha256 = hash('sha256', text, 'hex');
    const events = completions.complete(
      {
        proofId,
        address,
        requestSha256,
        input: { case: 'wire', value: { dialect: 'chat-completions', json: source } },
      },
      { workspaceId: principal!.workspaceId, requestId, signal, timeoutMs },
    );
    await relay(events, proofId, call);
    if (!response.writableEnded) response.end();
    return undefined;
  },
});

const relay = async (
  events: ReturnType<Completions['complete']>,
  proofId: string,
  { response, signal }: RouteCall,
): Promise<void> => {
  let streamed = false;
  try {
    for await (const { event } of events) {
      if (event.case === 'opened') {
        streamed = event.value.streamed;
        openAnswer(response, event.value, proofId);
      } else if (event.case === 'wire') {
        if (!streamed) response.end(event.value);
        else if (!response.write(event.value)) await once(response, 'drain', { signal });
      }
    }
  } catch (error) {
    if (!response.headersSent || !streamed) throw error;
    if (signal.aborted) return;
    // The last frame says that the answer is not whole; no [DONE] follows.
    const failure = isServiceError(error) ? error : toPublicError(error);
    response.end(encodeChatErrorFrame(failure));
  }
};

/** Header values are printable ASCII; a model's name may be anything. */
const encodeHeader = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);

const openAnswer = (response: Response, opened: Opened, proofId: string): void => {
  response.status(opened.status);
  for (const [name, value] of Object.entries(opened.headers)) response.setHeader(name, value);
  response.setHeader('x-service-proof', proofId);
  response.setHeader('x-service-model', encodeHeader(opened.model));
  if (!opened.streamed) {
    response.setHeader('content-type', 'application/json');
    return;
  }
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};
