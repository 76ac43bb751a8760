import { ServiceError } from '@witan/contracts';
import { describeJsonError, isCutOff, readJsonAnswer, toRetryInstruction } from '@witan/dialects';
import type { Caller, JsonError, JsonObject, ModelCall, Prompt, ToolCall } from '@witan/dialects';
import { checkFields, popThoughts } from '../completion/answer/describe-shape.ts';
import { toRetryPrompt } from '../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../completion/thoughts/take-leading-thoughts.ts';
import { askRounds, toOutcome } from './ask-rounds.ts';
import { openDisplay } from './open-display.ts';
import type { Display } from './open-display.ts';
import { joinThoughts } from './relay-text.ts';
import type { CallOutput, Turn, TurnOutcome, TurnPiece } from './turn.ts';
import { toCall } from './turn.ts';
import type { TurnDeps } from './turn.ts';
import type { JsonOptions } from './prepare-prompt.ts';

/**
 * Runs a turn whose answer is one JSON object. Retries an invalid answer once, with a description
 * of its error and at temperature 0. Throws PROVIDER_INVALID_ANSWER if the retry is invalid as
 * well.
 * Memory tags are not parsed.
 */
export async function* runJsonTurn(
  turn: Turn,
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  const { json, reflection } = turn.options;
  const schema = turn.prepared.prompt.wantsJson;
  const read = (raw: string, isCut: boolean) =>
    readObject(raw, { json: json!, reflection, isCut, schema });
  const display = openDisplay(turn);
  const ask = (call: ModelCall): Promise<JsonOutput> =>
    askJson(call, display, caller, { ...deps, read });
  const askOptions = { ask: (call: ModelCall) => asGenerator(ask(call)), display };
  const rounds = yield* askRounds(turn, askOptions, caller, deps);
  const { error, text } = rounds.outputs.at(-1)!;
  if (error) {
    const { prompt, grounding } = rounds.prepared;
    const retry = toCall(turn, {
      proofId: deps.newId('pf'),
      grounding,
      prompt: toRetryPrompt(prompt, {
        // A copy of the schema is not shown again, because the model would repeat it.
        raw: error.kind === 'schema-echo' ? '' : text,
        instruction: toRetryInstruction(error),
        isCut: error.kind === 'cut-off',
      }),
    });
    rounds.outputs.push(await ask(retry));
  }
  const { content, proofId, ...last } = rounds.outputs.at(-1)!;
  if (last.error) throw unreadableAnswer(last.error, proofId);
  yield* display.show(content);
  return {
    ...toOutcome(rounds),
    content,
    object: last.object,
    memories: { memories: [], rejected: [] },
  };
}

const unreadableAnswer = (error: JsonError, proof: string): ServiceError => {
  const problem = describeJsonError(error);
  const message = `The model gave no JSON object of the requested form: ${problem}.`;
  return new ServiceError('PROVIDER_INVALID_ANSWER', message, { fields: { proof } });
};

type ParsedAnswer = {
  content: string;
  object: JsonObject | undefined;
  error: JsonError | undefined;
  thoughts: string;
};

type JsonOutput = CallOutput & ParsedAnswer;

async function* asGenerator<T>(answer: Promise<T>): AsyncGenerator<never, T> {
  yield* [];
  return await answer;
}

async function askJson(
  call: ModelCall,
  display: Display,
  caller: Caller,
  { openCall, read }: TurnDeps & { read: (raw: string, isCut: boolean) => ParsedAnswer },
): Promise<JsonOutput> {
  const { pieces, deliver } = openCall(call, caller);
  const toolCalls: ToolCall[] = [];
  let reasoning = '';
  let raw = '';
  let output: JsonOutput | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') display.open(piece);
    else if (piece.kind === 'reasoning') reasoning += piece.text;
    else if (piece.kind === 'text') raw += piece.text;
    else if (piece.kind === 'toolCall') toolCalls.push(piece.call);
    else {
      const { kind: _, ...ending } = piece;
      const leading = takeLeadingThoughts(raw);
      const text = leading.rest;
      const answer = read(text, isCutOff(ending.finishReason));
      const thoughts = joinThoughts([reasoning.trim(), leading.thoughts, answer.thoughts]);
      output = { ...answer, text, toolCalls, thoughts, ...ending };
      // The client does not receive an answer that cannot be read.
      if (toolCalls.length === 0) deliver(answer.error ? '' : answer.content);
    }
  }
  return output!;
}

const readObject = (
  raw: string,
  {
    json,
    reflection,
    ...options
  }: {
    json: JsonOptions;
    reflection: boolean;
    isCut: boolean;
    schema: Prompt['wantsJson'];
  },
): ParsedAnswer => {
  const failed = { content: raw, object: undefined, thoughts: '' };
  const read = readJsonAnswer(raw, options);
  if ('error' in read) return { ...failed, error: read.error };
  const error = checkFields(read.object, json.fields);
  const { thoughts, rest, content } = popThoughts(read.object);
  const result = reflection
    ? { thoughts, object: rest, content }
    : { thoughts: '', object: read.object, content: JSON.stringify(read.object) };
  return { ...result, error };
};
