// Runs a fake model provider on bare node:http that streams chat completions after a delay, answers
// the calls of a tool, and records the times of the calls of each question.
import type { ServerResponse } from 'node:http';
import { monotonicMs } from '../../load/latency-summary.ts';
import { streamFrames, serveHttp } from '../../program/serve-program.ts';
import {
  makeAnswerFrames,
  makeToolFrames,
  readSerial,
  REMEMBER_MARK,
  TOOL_MARK,
  TOOL_PATH,
} from './questions.ts';

/**
 * `reset` sets the delay before each completion and clears the recorded times; `report` returns the
 * recorded times.
 */
export type ProviderCommand = { kind: 'reset'; delayMs: number } | { kind: 'report' };

/**
 * Milliseconds from a call's arrival to the first and the last byte of its response, summed over
 * all calls of a turn.
 */
export type ProviderTimes = { firstMs: number; lastMs: number };

/**
 * `times`: provider times by the serial number of the question. `body`: the request body of the
 * last completion.
 */
export type ProviderReport = { times: [serial: string, ProviderTimes][]; body: string };

const FRAMES = makeAnswerFrames();

let delayMs = 0;
let body: Buffer = Buffer.alloc(0);
const times = new Map<string, ProviderTimes>();

/**
 * Number of bytes at the end of a request body that contain the question and all fields after it.
 */
const TAIL_BYTES = 4_096;

/** Returns the frames of the answer, chosen by marks near the end of the request body. */
const chooseFrames = (requestBody: Buffer, serial: string): readonly Buffer[] => {
  const tail = requestBody.subarray(-TAIL_BYTES);
  if (tail.includes(REMEMBER_MARK)) return makeAnswerFrames(serial);
  const hasToolResult = tail.includes('"role":"tool"');
  return tail.includes(TOOL_MARK) && !hasToolResult ? makeToolFrames(serial) : FRAMES;
};

const addTimes = (serial: string, { firstMs, lastMs }: ProviderTimes): void => {
  const before = times.get(serial) ?? { firstMs: 0, lastMs: 0 };
  times.set(serial, { firstMs: before.firstMs + firstMs, lastMs: before.lastMs + lastMs });
};

const respondToToolCall = (toolBody: Buffer, response: ServerResponse, arrivedAt: number): void => {
  const { arguments: toolArguments } = JSON.parse(toolBody.toString()) as {
    arguments: { step: string };
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"margin":"21 percent"}');
  addTimes(toolArguments.step, { firstMs: 0, lastMs: monotonicMs() - arrivedAt });
};

/** Streams the answer and adds its times to those of the turn. */
const streamAnswer = (
  response: ServerResponse,
  frames: readonly Buffer[],
  { serial, arrivedAt }: { serial: string; arrivedAt: number },
): void => {
  const firstMs = monotonicMs() - arrivedAt;
  streamFrames(response, frames, () =>
    addTimes(serial, { firstMs, lastMs: monotonicMs() - arrivedAt }),
  );
};

const executeCommand = async (order: ProviderCommand): Promise<ProviderReport | undefined> => {
  if (order.kind === 'report') return { times: [...times], body: body.toString() };
  ({ delayMs } = order);
  times.clear();
  return undefined;
};

serveHttp((requestBody, response, { path, arrivedAt }) => {
  if (path === TOOL_PATH) return respondToToolCall(requestBody, response, arrivedAt);
  body = requestBody;
  const serial = readSerial(body);
  const frames = chooseFrames(body, serial);
  const respond = (): void => streamAnswer(response, frames, { serial, arrivedAt });
  if (delayMs === 0) respond();
  else setTimeout(respond, Math.max(0, arrivedAt + delayMs - monotonicMs()));
}, executeCommand);
