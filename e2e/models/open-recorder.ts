import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kindOf } from './kind-of.ts';
import type { CallKind } from './kind-of.ts';

/** One call of Witan to the model, with what the model answered. */
export type RecordedCall = {
  kind: CallKind;
  isRepair: boolean;
  format: string;
  status: number;
  promptTokens: number;
  completionTokens: number;
  durationMs: number;
  answer: string;
};

export type Recorder = AsyncDisposable & { baseUrl: string; calls: RecordedCall[] };

type ChatRequest = {
  messages: { role: string; content: unknown }[];
  response_format?: { type: string };
};
type Usage = { prompt_tokens: number; completion_tokens: number };
type ChatResponse = {
  usage?: Usage;
  choices: { message?: { content: string }; delta?: { content?: string } }[];
};

/**
 * Opens a proxy before a runtime that forwards each request and records calls of the model. Each
 * request and its answer is appended to `file` as a line of JSON, if there is one.
 */
export const openRecorder = async (
  upstream: string,
  file: string | undefined,
): Promise<Recorder> => {
  const calls: RecordedCall[] = [];
  const server = createServer((request, response) => {
    forward(request, response, { upstream, calls, file }).catch((error: unknown) => {
      process.stdout.write(`  a call has failed or its caller has left: ${String(error)}\n`);
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const forward = async (
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, calls, file }: { upstream: string; calls: RecordedCall[]; file: string | undefined },
): Promise<void> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const startedAt = performance.now();
  // `fetch` gives up after five minutes without a header, which one slow answer exceeds.
  const call = send(new URL(request.url ?? '/', upstream), {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    signal: gone.signal,
  });
  call.end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const status = answer.statusCode!;
  const type = answer.headers['content-type'] ?? 'application/json';
  response.writeHead(status, { 'content-type': type });
  let text = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) {
    text += chunk as string;
    response.write(chunk);
  }
  response.end();
  if (!request.url?.endsWith('/chat/completions')) return;
  const sent = JSON.parse(body.toString()) as ChatRequest;
  const received = readResponse(text);
  const recorded: RecordedCall = {
    ...kindOf(sent.messages.map(({ role, content }) => ({ role, text: JSON.stringify(content) }))),
    format: sent.response_format?.type ?? 'text',
    status,
    promptTokens: received.usage?.prompt_tokens ?? 0,
    completionTokens: received.usage?.completion_tokens ?? 0,
    durationMs: Math.round(performance.now() - startedAt),
    answer: received.answer,
  };
  calls.push(recorded);
  if (file) appendFileSync(file, `${JSON.stringify({ ...recorded, request: sent })}\n`);
  const { kind, promptTokens, completionTokens, format } = recorded;
  process.stdout.write(
    `  ${kind}${recorded.isRepair ? ' (repair)' : ''}: ${status}, ${promptTokens} + ` +
      `${completionTokens} tokens, ${recorded.durationMs} ms, ${format}\n`,
  );
};

const readResponse = (text: string): { answer: string; usage: Usage | undefined } => {
  const parts = text.startsWith('data:')
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    : [text];
  const bodies = parts.map((part) => JSON.parse(part) as Partial<ChatResponse>);
  const texts = bodies.flatMap(({ choices = [] }) =>
    choices.map(({ message, delta }) => message?.content ?? delta?.content ?? ''),
  );
  return { answer: texts.join(''), usage: bodies.findLast(({ usage }) => usage)?.usage };
};
