import { ServiceError } from '@witan/contracts';
import { guardMemories, toGlobalWrites } from '../memory/guard-memories.ts';
import type { GuardedMemories } from '../memory/guard-memories.ts';
import { openMemoryReader } from '../memory/open-memory-reader.ts';
import type { Caller, ModelCall, TokenUsage } from '../model/model-call.ts';
import { openThoughtReader } from '../thoughts/open-thought-reader.ts';
import { runJsonTurn } from './run-json-turn.ts';
import { ANSWER_ONLY } from './describe-rules.ts';
import { addUsage, NO_USAGE } from './add-usage.ts';
import { toCall } from './to-call.ts';
import type { TurnDeps } from './to-call.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import type { Turn, TurnOutcome, TurnPiece } from './turn.ts';

/** Whether the turn's tags may write memories of the whole workspace. */
export type Sharing = { isGatewayCall: boolean; workspaceSharesMemories: boolean };

/**
 * Asks the agent and hands on what it says, as it says it: without thoughts and memory tags. The
 * certificate of the call whose answer the client gets commits to exactly the deltas.
 */
export async function* runTurn(
  turn: Turn,
  sharing: Sharing,
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  if (turn.wish.json) return yield* runJsonTurn(turn, caller, deps);
  const { prompt } = turn.prepared;
  const first = yield* relayText(toCall(turn, { proofId: turn.proofId, prompt }), caller, deps);
  const all = [first];
  if (isEmpty(first)) {
    const again = toCall(turn, {
      proofId: deps.newId('pf'),
      prompt: { ...prompt, turns: [...prompt.turns, ...REASK] },
    });
    all.push(yield* relayText(again, caller, deps));
  }
  const last = all.at(-1)!;
  if (isEmpty(last)) throw emptyAnswer(last.proofId);
  return {
    content: last.content,
    object: undefined,
    thoughts: all
      .map(({ thoughts }) => thoughts)
      .filter(Boolean)
      .join('\n\n'),
    memories: guard(turn, sharing, last.tags),
    finishReason: last.finishReason,
    firstPromptTokens: first.usage.promptTokens,
    usage: all.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
    proofIds: all.map(({ proofId }) => proofId),
  };
}

type Tags = ReturnType<ReturnType<typeof openMemoryReader>['end']>['memories'];

/** What one call said. */
type Said = {
  content: string;
  thoughts: string;
  tags: Tags;
  finishReason: string;
  usage: TokenUsage;
  proofId: string;
};

/** Relays the text of one call as it comes. Nothing is opened before there is something to show. */
async function* relayText(
  call: ModelCall,
  caller: Caller,
  { openCall }: TurnDeps,
): AsyncGenerator<TurnPiece, Said> {
  const { pieces, deliver } = openCall(call, caller);
  const thoughts = openThoughtReader();
  const memories = openMemoryReader();
  const said: Said = {
    content: '',
    thoughts: '',
    tags: [],
    finishReason: '',
    usage: NO_USAGE,
    proofId: call.proofId,
  };
  let opening: TurnPiece | undefined;
  let lead = '';
  const show = function* (text: string): Generator<TurnPiece> {
    let delta = text;
    if (opening) {
      // An answer that is all white space so far may turn out to be none.
      lead += text;
      if (lead.trim() === '') return;
      yield opening;
      opening = undefined;
      delta = lead;
    }
    if (delta === '') return;
    said.content += delta;
    yield { kind: 'delta', text: delta };
  };
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      said.proofId = piece.proofId;
      opening = piece;
    } else if (piece.kind === 'reasoning') thoughts.pushReasoning(piece.text);
    else if (piece.kind === 'text') yield* show(memories.push(thoughts.push(piece.text)));
    else {
      const rest = thoughts.end();
      const head = memories.push(rest.text);
      const tail = memories.end();
      yield* show(head + tail.text);
      Object.assign(said, { thoughts: rest.thoughts, tags: tail.memories });
      Object.assign(said, { finishReason: piece.finishReason, usage: piece.usage });
      deliver(said.content);
    }
  }
  return said;
}

const isEmpty = ({ content }: Said): boolean => content === '';

const REASK = [toTextTurn('assistant', '...'), toTextTurn('user', ANSWER_ONLY)];

const guard = (
  { prepared: { untrustedTexts, heldUntrustedBlocks } }: Turn,
  sharing: Sharing,
  tags: Tags,
): GuardedMemories =>
  guardMemories(tags, {
    untrustedTexts,
    globalWrites: toGlobalWrites({ ...sharing, heldUntrustedBlocks }),
  });

const emptyAnswer = (proof: string): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model gave no answer; try again.', {
    fields: { proof },
  });
