import { isCutOff, NO_USAGE } from '@witan/dialects';
import type { Caller, ModelCall, OfferedTool, OpenCall } from '@witan/dialects';
import type { MemoryTag } from '../memory/tags/to-memory-tag.ts';
import { openMemoryReader } from '../memory/tags/open-memory-reader.ts';
import type { RejectedTag } from '../memory/tags/open-memory-reader.ts';
import { openWrapperReader } from '../completion/tags/open-wrapper-reader.ts';
import { openThoughtReader } from '../completion/thoughts/open-thought-reader.ts';
import { mayBeTextCalls, readTextCalls } from '../tool/read-text-calls.ts';
import type { Display } from './open-display.ts';
import type { CallOutput, Turn, TurnPiece } from './turn.ts';

export type TextOutput = CallOutput & {
  tags: readonly MemoryTag[];
  rejected: readonly RejectedTag[];
};

/**
 * Length, in UTF-16 units, up to which text before a tool call is treated as the model's note to
 * itself and added to the thoughts. Since a tool call may follow any text, an answer that may
 * request tools is shown only once it exceeds this length or has ended.
 */
export const NOTE_LENGTH_MAX = 400;

export type RelayOptions = Pick<Turn, 'isShownLive' | 'options'> & { display: Display };

/** Yields the text of one call as it arrives, without thoughts and memory tags. */
export async function* relayText(
  call: ModelCall,
  { display, isShownLive, options: { reflection } }: RelayOptions,
  caller: Caller,
  { openCall }: { openCall: OpenCall },
): AsyncGenerator<TurnPiece, TextOutput> {
  const { pieces, deliver } = openCall(call, caller);
  // `mayBeginInside` delays the text. For answers shown live it is used only if thoughts were
  // requested, because otherwise most models write none.
  const thoughts = openThoughtReader({ mayBeginInside: reflection || !isShownLive });
  const wrapper = openWrapperReader();
  const memories = openMemoryReader();
  const output: TextOutput = {
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
    output.text += text;
    if (!isNote) yield* display.show(text);
    else if (output.text.length > NOTE_LENGTH_MAX && !mayBeTextCalls(output.text)) {
      isNote = false;
      yield* display.show(output.text);
    }
  };
  for await (const piece of pieces) {
    if (piece.kind === 'opened') display.open(piece);
    else if (piece.kind === 'reasoning') thoughts.pushReasoning(piece.text);
    else if (piece.kind === 'text')
      yield* show(memories.push(wrapper.push(thoughts.push(piece.text))));
    else if (piece.kind === 'toolCall') output.toolCalls.push(piece.call);
    else {
      const { kind: _, ...ending } = piece;
      const { finishReason } = ending;
      const isCut = isCutOff(finishReason);
      const rest = thoughts.end({ isCut, wantsThoughts: reflection });
      const head = memories.push(wrapper.push(rest.text) + wrapper.end({ isCut }));
      const { text, memories: tags, rejected } = memories.end({ isCut });
      yield* show(head + text);
      Object.assign(output, { ...ending, tags, rejected });
      output.thoughts = rest.thoughts;
      takeTextCalls(output, isNote ? call.prompt.tools : undefined);
      if (output.toolCalls.length > 0 && !output.wroteCalls) {
        if (isNote) output.thoughts = joinThoughts([output.thoughts, output.text.trim()]);
      } else {
        if (isNote) yield* display.show(output.text);
        deliver(display.content());
      }
    }
  }
  return output;
}

/** Moves tool calls from the text of an answer that consists of nothing else to its tool calls. */
const takeTextCalls = (output: TextOutput, tools: readonly OfferedTool[] | undefined): void => {
  const calls = tools && output.toolCalls.length === 0 && readTextCalls(output.text, tools);
  if (!calls) return;
  output.toolCalls.push(...calls);
  output.wroteCalls = true;
  output.text = '';
};

export const joinThoughts = (thoughts: readonly string[]): string =>
  thoughts.filter((text) => text !== '').join('\n\n');
