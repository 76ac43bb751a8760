import { checkFields } from '../answer/check-fields.ts';
import { toReaskInstruction } from '../answer/json-fault.ts';
import type { JsonFault, JsonObject } from '../answer/json-fault.ts';
import { popThoughts } from '../answer/pop-thoughts.ts';
import { readJsonAnswer } from '../answer/read-json-answer.ts';
import type { Caller, ModelCall, Prompt, TokenUsage } from '../model/model-call.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import { openThoughtReader } from '../thoughts/open-thought-reader.ts';
import { addUsage, NO_USAGE } from './add-usage.ts';
import { toCall } from './to-call.ts';
import type { TurnDeps } from './to-call.ts';
import type { JsonWish, Turn, TurnOutcome, TurnPiece } from './turn.ts';

/** Most that is offered to an answer that was cut off. */
const OUTPUT_TOKENS_MAX = 16_000;

/**
 * A turn whose answer is a JSON object, which comes whole: an answer that is none is asked for once
 * more, with what was wrong, at temperature 0. What is none even then is the content as it is, with
 * no object. Memory tags are suspended (Seed 4.1 rule 4).
 */
export async function* runJsonTurn(
  turn: Turn,
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  const json = turn.wish.json!;
  const wish = { json, reflection: turn.wish.reflection };
  const { prompt } = turn.prepared;
  const first = await askJson(toCall(turn, { proofId: turn.proofId, prompt }), caller, {
    ...deps,
    ...wish,
  });
  const all = [first];
  if (first.fault) {
    const again = toCall(turn, {
      proofId: deps.newId('pf'),
      prompt: toReask(prompt, first.raw, first.fault),
    });
    all.push(await askJson(again, caller, { ...deps, ...wish }));
  }
  const last = all.at(-1)!;
  yield last.opened;
  yield { kind: 'delta', text: last.content };
  return {
    content: last.content,
    object: last.object,
    thoughts: all
      .map(({ thoughts }) => thoughts)
      .filter(Boolean)
      .join('\n\n'),
    memories: { memories: [], rejected: [] },
    finishReason: last.finishReason,
    firstPromptTokens: first.usage.promptTokens,
    usage: all.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
    proofIds: all.map(({ proofId }) => proofId),
  };
}

type Opening = Extract<TurnPiece, { kind: 'opened' }>;

type JsonSaid = {
  raw: string;
  content: string;
  object: JsonObject | undefined;
  fault: JsonFault | undefined;
  thoughts: string;
  opened: Opening;
  finishReason: string;
  usage: TokenUsage;
  proofId: string;
};

const askJson = async (
  call: ModelCall,
  caller: Caller,
  { openCall, ...wish }: TurnDeps & { json: JsonWish; reflection: boolean },
): Promise<JsonSaid> => {
  const { pieces, deliver } = openCall(call, caller);
  const reader = openThoughtReader();
  let text = '';
  let opened: Opening | undefined;
  let said: JsonSaid | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') opened = piece;
    else if (piece.kind === 'reasoning') reader.pushReasoning(piece.text);
    else if (piece.kind === 'text') text += reader.push(piece.text);
    else {
      const rest = reader.end();
      const { finishReason, usage } = piece;
      const raw = text + rest.text;
      const read = readObject(raw, { ...wish, isCut: finishReason === 'length' });
      const thoughts = [rest.thoughts, read.thoughts].filter(Boolean).join('\n\n');
      const { proofId } = opened!;
      said = { ...read, raw, thoughts, opened: opened!, finishReason, usage, proofId };
      deliver(said.content);
    }
  }
  return said!;
};

const readObject = (
  raw: string,
  { json, reflection, isCut }: { json: JsonWish; reflection: boolean; isCut: boolean },
): Pick<JsonSaid, 'content' | 'object' | 'fault' | 'thoughts'> => {
  const none = { content: raw, object: undefined, thoughts: '' };
  const read = readJsonAnswer(raw, { isCut });
  if ('fault' in read) return { ...none, fault: read.fault };
  const fault = checkFields(read.object, json.fields);
  const { thoughts, rest, content } = popThoughts(read.object);
  const shown = reflection
    ? { thoughts, object: rest, content }
    : { thoughts: '', object: read.object, content: JSON.stringify(read.object) };
  return { ...shown, fault };
};

const toReask = (prompt: Prompt, raw: string, fault: JsonFault): Prompt => {
  const { turns, maxOutputTokens: limit } = prompt;
  const needsRoom = fault.kind === 'cut-off' && limit !== undefined;
  return {
    ...prompt,
    temperature: 0,
    ...(needsRoom ? { maxOutputTokens: Math.min(limit * 2, OUTPUT_TOKENS_MAX) } : {}),
    turns: [
      ...turns,
      toTextTurn('assistant', raw.trim() === '' ? '...' : raw),
      toTextTurn('user', toReaskInstruction(fault)),
    ],
  };
};
