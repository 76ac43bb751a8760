import { parseTranscript } from './parse-transcript.ts';
import type { TranscriptFrame } from './parse-transcript.ts';
import { report } from './report.ts';
import type { Claim } from './report.ts';
import { isFields, parseJson, toFields } from './to-fields.ts';
import type { Fields } from './to-fields.ts';

/** Members of the request that determine which frames the stream must have. */
export type ChatStreamRequest = {
  readonly usage?: boolean;
};

/**
 * Checks a chat-completions stream against docs/spec.md#4.6 ("Clients in the wild"). Returns one
 * message per violation, with the number of the frame.
 */
export const checkChatStream = (transcript: string, asked: ChatStreamRequest = {}): string[] => {
  const { frames, violations: parseViolations } = parseTranscript(transcript);
  const progress: Progress = { choices: new Map() };
  const violations = frames.flatMap((frame, at) =>
    checkFrame(progress, frame).map((violation) => `frame ${at + 1}: ${violation}`),
  );
  return [...parseViolations, ...violations, ...checkEnd(progress, asked)];
};

type Call = { json: string };
type Choice = { isFinished: boolean; calls: Call[] };

type Progress = {
  /** Members that must be equal in every chunk, taken from the first chunk. */
  head?: Fields;
  choices: Map<unknown, Choice>;
  usage?: unknown;
  end?: '[DONE]' | 'an error';
};

const checkFrame = (progress: Progress, { data, value }: TranscriptFrame): string[] => {
  if (progress.end !== undefined) return [`stands behind ${progress.end}`];
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
  const error = toFields(value);
  const missing = ['message', 'type', 'param', 'code'].filter((key) => !(key in error));
  return report(
    [typeof error['message'] === 'string', 'its error has no message'],
    [missing.length === 0, `its error lacks ${missing.join(', ')}`],
  );
};

const checkHead = (progress: Progress, chunk: Fields): string[] => {
  progress.head ??= chunk;
  const first = progress.head;
  return report(
    [chunk['object'] === 'chat.completion.chunk', 'its object is not chat.completion.chunk'],
    [typeof chunk['id'] === 'string' && chunk['id'] !== '', 'it has no id'],
    [Number.isSafeInteger(chunk['created']), 'its created is no integer'],
    [typeof chunk['model'] === 'string', 'it has no model'],
    ...['id', 'created', 'model'].map((key): Claim => [
      chunk[key] === first[key],
      `its ${key} is not that of the first chunk`,
    ]),
  );
};

const checkBody = (progress: Progress, chunk: Fields): string[] => {
  const { choices, usage } = chunk;
  if (progress.usage !== undefined) return ['stands behind the usage chunk'];
  if (!Array.isArray(choices)) return ['its choices are no array'];
  if (!isFields(usage)) {
    const violations = choices.flatMap((choice) => checkChoice(progress, toFields(choice)));
    const named = report(
      [usage === undefined || usage === null, 'its usage is no object'],
      [choices.length > 0, 'it has neither choices nor usage'],
    );
    return [...named, ...violations];
  }
  progress.usage = usage;
  const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
  return report(
    [choices.length === 0, 'it has usage beside choices'],
    ...counts.map((key): Claim => [typeof usage[key] === 'number', `its usage has no ${key}`]),
  );
};

const checkChoice = (progress: Progress, choice: Fields): string[] => {
  const { index, delta, finish_reason } = choice;
  if (!Number.isSafeInteger(index) || Number(index) < 0) return ['a choice has no index'];
  if (!isFields(delta)) return [`choice ${String(index)} has no delta`];
  const known = progress.choices.get(index);
  const state = known ?? { isFinished: false, calls: [] };
  progress.choices.set(index, state);
  const wasFinished = state.isFinished;
  const finishes = finish_reason !== null && finish_reason !== undefined;
  state.isFinished ||= finishes;
  const role = delta['role'];
  const violations = report(
    [known !== undefined || role === 'assistant', 'its first chunk has no role'],
    [role === undefined || role === 'assistant', `its role is ${String(role)}`],
    [!finishes || typeof finish_reason === 'string', 'its finish_reason is no string'],
    [!(wasFinished && finishes), 'it has a second finish_reason'],
    [!wasFinished || finishes, 'it goes on behind its finish_reason'],
  );
  const all = [...violations, ...checkText(delta), ...checkCalls(state, delta)];
  return all.map((violation) => `choice ${String(index)}: ${violation}`);
};

const checkText = (delta: Fields): string[] =>
  report(
    ...['content', 'refusal'].map((key): Claim => {
      const text = delta[key] ?? null;
      return [text === null || typeof text === 'string', `its ${key} is no text`];
    }),
  );

const checkCalls = (state: Choice, { tool_calls }: Fields): string[] => {
  if (tool_calls === undefined) return [];
  if (!Array.isArray(tool_calls)) return ['its tool_calls are no array'];
  if (tool_calls.length === 0) return ['its tool_calls are empty'];
  return tool_calls.flatMap((piece) => checkPiece(state, toFields(piece)));
};

const checkPiece = ({ calls }: Choice, piece: Fields): string[] => {
  const { index, id, type } = piece;
  const { name, arguments: json } = toFields(piece['function']);
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
  const textual: Claim = [
    json === undefined || typeof json === 'string',
    'its arguments are no text',
  ];
  return report(...claims, textual).map((violation) => `tool call ${String(index)}: ${violation}`);
};

const checkEnd = ({ end, choices, usage }: Progress, asked: ChatStreamRequest): string[] => {
  const uncalled = report([usage === undefined || asked.usage === true, 'nobody asked for usage']);
  if (end === 'an error') return uncalled;
  const unfinished = [...choices].flatMap(([index, { isFinished, calls }]) => [
    ...report([isFinished, `choice ${String(index)} has no finish_reason`]),
    ...calls.flatMap(({ json }, at) =>
      report([
        isFields(parseJson(json)),
        `choice ${String(index)}: the arguments of tool call ${at} are no JSON object: ${json}`,
      ]),
    ),
  ]);
  const whole = report(
    [end === '[DONE]', 'the stream ends without [DONE] or an error'],
    [choices.size > 0, 'the stream has no choice'],
    [asked.usage !== true || usage !== undefined, 'the usage that was asked for is missing'],
  );
  return [...uncalled, ...unfinished, ...whole];
};
