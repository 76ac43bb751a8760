import { isCutOff } from '@witan/dialects';
import type { MemoryTag } from '../memory/to-memory-tag.ts';
import { openMemoryReader } from '../memory/open-memory-reader.ts';
import type { RejectedTag } from '../memory/open-memory-reader.ts';
import type { Caller, ModelCall, OpenCall } from '../model/model-call.ts';
import { openThoughtReader } from '../thoughts/open-thought-reader.ts';
import { NO_USAGE } from './add-usage.ts';
import type { Display } from './open-display.ts';
import type { Said } from './said.ts';
import type { Turn, TurnPiece } from './turn.ts';

/** What one call said whose answer is text. */
export type TextSaid = Said & { tags: readonly MemoryTag[]; rejected: readonly RejectedTag[] };

/**
 * Most characters before a call of a tool that are taken for a note of the model to itself. It
 * belongs to its thoughts and not to the answer; nobody can know so until the call is asked for, so
 * the text of an answer that may ask for tools is shown from here on. Longer words stay shown.
 */
export const NOTE_LENGTH_MAX = 400;

/** Where the text goes, and how its thoughts are told from it. */
export type Stage = Pick<Turn, 'isShownLive' | 'wish'> & { display: Display };

/** Relays the text of one call as it comes, without thoughts and memory tags. */
export async function* relayText(
  call: ModelCall,
  { display, isShownLive, wish: { reflection } }: Stage,
  caller: Caller,
  { openCall }: { openCall: OpenCall },
): AsyncGenerator<TurnPiece, TextSaid> {
  const { pieces, deliver } = openCall(call, caller);
  // What is shown as it comes cannot wait for an end of thoughts that most models never write.
  const thoughts = openThoughtReader({ mayBeginInside: reflection || !isShownLive });
  const memories = openMemoryReader();
  const said: TextSaid = {
    text: '',
    thoughts: '',
    tags: [],
    rejected: [],
    toolCalls: [],
    finishReason: '',
    usage: NO_USAGE,
    proofId: call.proofId,
  };
  let isNote = call.prompt.tools !== undefined;
  const show = function* (text: string): Generator<TurnPiece> {
    said.text += text;
    if (!isNote) yield* display.show(text);
    else if (said.text.length > NOTE_LENGTH_MAX) {
      isNote = false;
      yield* display.show(said.text);
    }
  };
  for await (const piece of pieces) {
    if (piece.kind === 'opened') display.open(piece);
    else if (piece.kind === 'reasoning') thoughts.pushReasoning(piece.text);
    else if (piece.kind === 'text') yield* show(memories.push(thoughts.push(piece.text)));
    else if (piece.kind === 'toolCall') said.toolCalls.push(piece.call);
    else {
      const { kind: _, ...ending } = piece;
      const { finishReason } = ending;
      const rest = thoughts.end({ isCut: reflection && isCutOff(finishReason) });
      const head = memories.push(rest.text);
      const { text, memories: tags, rejected } = memories.end();
      yield* show(head + text);
      Object.assign(said, { ...ending, tags, rejected });
      said.thoughts = rest.thoughts;
      if (said.toolCalls.length > 0) {
        if (isNote) said.thoughts = joinThoughts([said.thoughts, said.text.trim()]);
      } else {
        if (isNote) yield* display.show(said.text);
        deliver(display.content());
      }
    }
  }
  return said;
}

/** Thoughts of several calls as one text. */
export const joinThoughts = (thoughts: readonly string[]): string =>
  thoughts.filter((text) => text !== '').join('\n\n');
