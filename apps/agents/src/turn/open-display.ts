import type { ModelOpening } from '@witan/dialects';
import type { ToolRun } from '../tool/tool.ts';
import type { TurnPiece } from './turn.ts';

/** Tracks what is shown to the client over all calls of a turn. */
export type Display = {
  /**
   * Starts the output of a model call. The opening event is emitted once per turn, before the first
   * visible text or tool call.
   */
  open: (opening: ModelOpening) => void;
  show: (text: string) => Generator<TurnPiece>;
  showTool: (run: ToolRun) => Generator<TurnPiece>;
  content: () => string;
};

const PARAGRAPH = '\n\n';

export const openDisplay = ({ areToolsShown }: { areToolsShown: boolean }): Display => {
  let opening: ModelOpening | undefined;
  let isOpen = false;
  let content = '';
  /** Leading white space that is not emitted yet, because the answer may turn out to be empty. */
  let leadingText: string | undefined;
  const emitOpening = function* (): Generator<TurnPiece> {
    if (!isOpen) yield opening!;
    isOpen = true;
  };
  return {
    open: (nextOpening) => {
      opening = nextOpening;
      leadingText = content === '' ? '' : PARAGRAPH;
    },
    *show(text) {
      let delta = text;
      if (leadingText !== undefined) {
        leadingText += text;
        if (leadingText.trim() === '') return;
        delta = leadingText;
        leadingText = undefined;
      }
      if (delta === '') return;
      yield* emitOpening();
      content += delta;
      yield { kind: 'delta', text: delta };
    },
    *showTool(run) {
      if (!areToolsShown) return;
      yield* emitOpening();
      yield { kind: 'tool', run };
    },
    content: () => content,
  };
};
