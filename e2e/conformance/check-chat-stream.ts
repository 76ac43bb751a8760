import { parseTranscript } from './parse-transcript.ts';
import type { TranscriptFrame } from './parse-transcript.ts';
import { toViolations } from './to-violations.ts';
import type { Claim } from './to-violations.ts';
import { isJsonObject, parseJson, toJsonObject } from './json-object.ts';
import type { JsonObject } from './json-object.ts';

/**
 * `usage` is true if the request asks for a usage chunk. Only then may the stream have one, and it
 * must have one unless it ends with an error.
 */
export type ChatStreamRequest = {
  readonly usage?: boolean;
};

/**
 * Checks form and order of the frames of a chat-completions stream. Returns one message per
 * violation, with the number of the frame if a single frame causes it.
 */
export const checkChatStream = (transcript: string, request: ChatStreamRequest = {}): string[] => {
  const { frames, violations: parseViolations } = parseTranscript(transcript);
  const progress: Progress = { choices: new Map() };
  const violations = frames.flatMap((frame, index) =>
    checkFrame(progress, frame).map((violation) => `frame ${index + 1}: ${violation}`),
  );
  return [...parseViolations, ...violations, ...checkEnd(progress, request)];
};

type Call = { json: string };
type Choice = { isFinished: boolean; calls: Call[] };

type Progress = {
  /**
   * The first chunk of the stream; all other chunks must have the same `id`, `created` and `model`.
   */
  firstChunk?: JsonObject;
  choices: Map<unknown, Choice>;
  usage?: unknown;
  end?: '[DONE]' | 'an error';
};

const checkFrame = (progress: Progress, { data, value }: TranscriptFrame): string[] => {
  if (progress.end !== undefined) return [`comes after ${progress.end}`];
  if (data === '[DONE]') {
    progress.end = '[DONE]';
    return [];
  }
  if (value === undefined) return ['its data is neither a JSON object nor [DONE]'];
  if ('error' in value) {
    progress.end = 'an error';
    return checkError(value['error']);
  }
  return [...checkHead(progress, value), ...checkBody(progress, value)];
};

const checkError = (value: unknown): string[] => {
  const error = toJsonObject(value);
  const missing = ['message', 'type', 'param', 'code'].filter((key) => !(key in error));
  return toViolations(
    [typeof error['message'] === 'string', 'its error has no message'],
    [missing.length === 0, `its error lacks ${missing.join(', ')}`],
  );
};

const checkHead = (progress: Progress, chunk: JsonObject): string[] => {
  progress.firstChunk ??= chunk;
  const firstChunk = progress.firstChunk;
  return toViolations(
    [chunk['object'] === 'chat.completion.chunk', 'its object is not chat.completion.chunk'],
    [typeof chunk['id'] === 'string' && chunk['id'] !== '', 'it has no id'],
    [Number.isSafeInteger(chunk['created']), 'its created is no integer'],
    [typeof chunk['model'] === 'string', 'it has no model'],
    ...['id', 'created', 'model'].map((key): Claim => [
      chunk[key] === firstChunk[key],
      `its ${key} is not that of the first chunk`,
    ]),
  );
};

const checkBody = (progress: Progress, chunk: JsonObject): string[] => {
  const { choices, usage } = chunk;
  if (progress.usage !== undefined) return ['comes after the usage chunk'];
  if (!Array.isArray(choices)) return ['its choices are no array'];
  if (!isJsonObject(usage)) {
    const violations = choices.flatMap((choice) => checkChoice(progress, toJsonObject(choice)));
    const usageViolations = toViolations(
      [usage === undefined || usage === null, 'its usage is no object'],
      [choices.length > 0, 'it has neither choices nor usage'],
    );
    return [...usageViolations, ...violations];
  }
  progress.usage = usage;
  const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
  return toViolations(
    [choices.length === 0, 'it has usage beside choices'],
    ...counts.map((key): Claim => [typeof usage[key] === 'number', `its usage has no ${key}`]),
  );
};

const checkChoice = (progress: Progress, choice: JsonObject): string[] => {
  const { index, delta, finish_reason } = choice;
  if (!Number.isSafeInteger(index) || Number(index) < 0) return ['a choice has no index'];
  if (!isJsonObject(delta)) return [`choice ${String(index)} has no delta`];
  const existing = progress.choices.get(index);
  const state = existing ?? { isFinished: false, calls: [] };
  progress.choices.set(index, state);
  const wasFinished = state.isFinished;
  const isFinish = finish_reason !== null && finish_reason !== undefined;
  state.isFinished ||= isFinish;
  const role = delta['role'];
  const violations = toViolations(
    [existing !== undefined || role === 'assistant', 'its first chunk has no role'],
    [role === undefined || role === 'assistant', `its role is ${String(role)}`],
    [!isFinish || typeof finish_reason === 'string', 'its finish_reason is no string'],
    [!(wasFinished && isFinish), 'it has a second finish_reason'],
    [!wasFinished || isFinish, 'it continues after its finish_reason'],
  );
  const choiceViolations = [...violations, ...checkText(delta), ...checkCalls(state, delta)];
  return choiceViolations.map((violation) => `choice ${String(index)}: ${violation}`);
};

const checkText = (delta: JsonObject): string[] =>
  toViolations(
    ...['content', 'refusal'].map((key): Claim => {
      const text = delta[key] ?? null;
      return [text === null || typeof text === 'string', `its ${key} is no text`];
    }),
  );

const checkCalls = (state: Choice, { tool_calls }: JsonObject): string[] => {
  if (tool_calls === undefined) return [];
  if (!Array.isArray(tool_calls)) return ['its tool_calls are no array'];
  if (tool_calls.length === 0) return ['its tool_calls are empty'];
  return tool_calls.flatMap((piece) => checkPiece(state, toJsonObject(piece)));
};

const checkPiece = ({ calls }: Choice, piece: JsonObject): string[] => {
  const { index, id, type } = piece;
  const { name, arguments: json } = toJsonObject(piece['function']);
  const call = typeof index === 'number' ? calls[index] : undefined;
  if (call === undefined && index !== calls.length) {
    return [`tool call ${String(index)} starts, but the next one is ${calls.length}`];
  }
  const text = typeof json === 'string' ? json : '';
  if (call === undefined) calls.push({ json: text });
  else call.json += text;
  const claims: Claim[] =
    call === undefined
      ? [
          [typeof id === 'string' && id !== '', 'its first piece has no id'],
          [typeof name === 'string' && name !== '', 'its first piece has no name'],
          [type === 'function', 'its first piece is of no type function'],
        ]
      : [
          [id === undefined, 'a later piece has an id'],
          [name === undefined, 'a later piece has a name'],
        ];
  const argumentsClaim: Claim = [
    json === undefined || typeof json === 'string',
    'its arguments are no text',
  ];
  return toViolations(...claims, argumentsClaim).map(
    (violation) => `tool call ${String(index)}: ${violation}`,
  );
};

const checkEnd = ({ end, choices, usage }: Progress, request: ChatStreamRequest): string[] => {
  const usageViolations = toViolations([
    usage === undefined || request.usage === true,
    'usage was not requested',
  ]);
  if (end === 'an error') return usageViolations;
  const unfinishedViolations = [...choices].flatMap(([index, { isFinished, calls }]) => [
    ...toViolations([isFinished, `choice ${String(index)} has no finish_reason`]),
    ...calls.flatMap(({ json }, callIndex) =>
      toViolations([
        isJsonObject(parseJson(json)),
        `choice ${String(index)}: the arguments of tool call ${callIndex} are no JSON object: ${json}`,
      ]),
    ),
  ]);
  const streamViolations = toViolations(
    [end === '[DONE]', 'the stream ends without [DONE] or an error'],
    [choices.size > 0, 'the stream has no choice'],
    [request.usage !== true || usage !== undefined, 'the requested usage is missing'],
  );
  return [...usageViolations, ...unfinishedViolations, ...streamViolations];
};
