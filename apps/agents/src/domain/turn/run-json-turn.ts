import { isCutOff, readJsonAnswer, toReaskInstruction } from '@witan/dialects';
import type { JsonError, JsonObject } from '@witan/dialects';
import { checkFields } from '../answer/check-fields.ts';
import { popThoughts } from '../answer/pop-thoughts.ts';
import { emptyAnswer } from '../model/empty-answer.ts';
import type { Caller, ModelCall, ToolCall } from '../model/model-call.ts';
import { toRetryPrompt } from '../model/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../thoughts/take-leading-thoughts.ts';
import { askRounds } from './ask-rounds.ts';
import { openDisplay } from './open-display.ts';
import type { Display } from './open-display.ts';
import { joinThoughts } from './relay-text.ts';
import type { CallOutput } from './call-output.ts';
import { toCall } from './to-call.ts';
import type { TurnDeps } from './to-call.ts';
import { toOutcome } from './to-outcome.ts';
import type { JsonWish, Turn, TurnOutcome, TurnPiece } from './turn.ts';

/**
 * Runs a turn whose answer is one JSON object. An invalid answer is retried once, with its error
 * and at temperature 0; if the retry is invalid, too, its text is returned without an object.
 * Memory tags are disabled.
 */
export async function* runJsonTurn(
  turn: Turn,
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  const { json, reflection } = turn.wish;
  const read = (raw: string, isCut: boolean) => readObject(raw, { json: json!, reflection, isCut });
  const display = openDisplay(turn);
  const ask = (call: ModelCall): Promise<JsonOutput> =>
    askJson(call, display, caller, { ...deps, read });
  const asking = { ask: (call: ModelCall) => showNothing(ask(call)), display };
  const rounds = yield* askRounds(turn, asking, caller, deps);
  const { fault, text } = rounds.outputs.at(-1)!;
  if (fault) {
    const { prompt, grounding } = rounds.prepared;
    const again = toCall(turn, {
      proofId: deps.newId('pf'),
      grounding,
      prompt: toRetryPrompt(prompt, {
        raw: text,
        instruction: toReaskInstruction(fault),
        isCut: fault.kind === 'cut-off',
      }),
    });
    rounds.outputs.push(await ask(again));
  }
  const { content, proofId, ...last } = rounds.outputs.at(-1)!;
  // Thoughts were requested inside the object and cannot be separated from invalid JSON.
  const mayHoldThoughts = reflection && !last.object;
  if (content.trim() === '' || mayHoldThoughts) throw emptyAnswer(proofId);
  yield* display.show(content);
  return {
    ...toOutcome(rounds),
    content,
    // An object that lacks requested fields after the retry is not returned.
    object: last.fault ? undefined : last.object,
    memories: { memories: [], rejected: [] },
  };
}

type Read = {
  content: string;
  object: JsonObject | undefined;
  fault: JsonError | undefined;
  thoughts: string;
};

type JsonOutput = CallOutput & Read;

async function* showNothing<T>(answer: Promise<T>): AsyncGenerator<never, T> {
  yield* [];
  return await answer;
}

async function askJson(
  call: ModelCall,
  display: Display,
  caller: Caller,
  { openCall, read }: TurnDeps & { read: (raw: string, isCut: boolean) => Read },
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
      const lead = takeLeadingThoughts(raw);
      const text = lead.rest;
      const answer = read(text, isCutOff(ending.finishReason));
      const thoughts = joinThoughts([reasoning.trim(), lead.thoughts, answer.thoughts]);
      output = { ...answer, text, toolCalls, thoughts, ...ending };
      if (toolCalls.length === 0) deliver(answer.content);
    }
  }
  return output!;
}

const readObject = (
  raw: string,
  { json, reflection, isCut }: { json: JsonWish; reflection: boolean; isCut: boolean },
): Read => {
  const none = { content: raw, object: undefined, thoughts: '' };
  const read = readJsonAnswer(raw, { isCut });
  if ('error' in read) return { ...none, fault: read.error };
  const fault = checkFields(read.object, json.fields);
  const { thoughts, rest, content } = popThoughts(read.object);
  const shown = reflection
    ? { thoughts, object: rest, content }
    : { thoughts: '', object: read.object, content: JSON.stringify(read.object) };
  return { ...shown, fault };
};
