// Runs a fake model provider on bare node:http that answers the calls of debates and panels after a
// fixed delay and records arrival and end of every call.
import type { ServerResponse } from 'node:http';
import { monotonicMs } from '../load/latency-summary.ts';
import { streamFrames, serveHttp } from '../program/serve-program.ts';
import { countTokens, makeCouncilAnswer, readCouncilCall } from './council-play.ts';
import type { CouncilCall } from './council-play.ts';

/**
 * `reset` sets the delay before each answer and clears the recorded calls; `report` returns the
 * recorded calls.
 */
export type CouncilCommand = { kind: 'reset'; delayMs: number } | { kind: 'report' };

/** A recorded call with its tokens, and its arrival and end on the monotonic clock. */
export type CallTimes = CouncilCall & {
  arrivedAt: number;
  endedAt: number;
  promptTokens: number;
  completionTokens: number;
};

/** The calls since `reset`, and the request body of the last agent's call of a first round. */
export type CouncilReport = { calls: CallTimes[]; agentBody: string };

/** Number of pieces in which the text of an answer is streamed. */
const TEXT_PIECES = 36;

let delayMs = 0;
let calls: CallTimes[] = [];
let agentBody = '';

type Message = { content: string | { text: string }[] };

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');

type ProviderAnswer = { content: string; usage: object };

const FRAME = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'gpt-bench' };

const sendAnswer = (
  response: ServerResponse,
  { content, usage }: ProviderAnswer,
  onEnd: () => void,
): void => {
  const message = { role: 'assistant', content };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const body = JSON.stringify({ ...FRAME, object: 'chat.completion', choices, usage });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  onEnd();
};

const toFrames = ({ content, usage }: ProviderAnswer): string[] => {
  const size = Math.ceil(content.length / TEXT_PIECES);
  const frame = { ...FRAME, object: 'chat.completion.chunk' };
  const toChunk = (delta: object, finish_reason: string | null = null): object => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const pieces = Array.from({ length: TEXT_PIECES }, (_, at) =>
    toChunk({ content: content.slice(at * size, (at + 1) * size) }),
  );
  const chunks = [toChunk({ role: 'assistant' }), ...pieces, toChunk({}, 'stop')];
  return [
    ...[...chunks, { ...frame, choices: [], usage }].map(
      (one) => `data: ${JSON.stringify(one)}\n\n`,
    ),
    'data: [DONE]\n\n',
  ];
};

const executeCommand = async (order: CouncilCommand): Promise<CouncilReport | undefined> => {
  if (order.kind === 'report') return { calls, agentBody };
  ({ delayMs } = order);
  calls = [];
  return undefined;
};

serveHttp((body, response, { arrivedAt }) => {
  const requestBody = body.toString();
  const { messages, stream } = JSON.parse(requestBody) as { messages: Message[]; stream?: boolean };
  const prompt = messages.map(textOf).join('\n');
  const call = readCouncilCall(prompt);
  if (call.round === 1) agentBody = requestBody;
  const content = makeCouncilAnswer(call, prompt);
  const promptTokens = countTokens(prompt);
  const completionTokens = countTokens(content);
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  const onEnd = (): void => {
    calls.push({ ...call, promptTokens, completionTokens, arrivedAt, endedAt: monotonicMs() });
  };
  const respond = (): void =>
    stream
      ? streamFrames(response, toFrames({ content, usage }), onEnd)
      : sendAnswer(response, { content, usage }, onEnd);
  if (delayMs === 0) respond();
  else setTimeout(respond, Math.max(0, arrivedAt + delayMs - monotonicMs()));
}, executeCommand);
