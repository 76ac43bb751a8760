import type { ModelOpening } from '../model/model-call.ts';
import type { ToolRun } from '../tool/tool.ts';
import type { TurnPiece } from './turn.ts';

/** What the client is shown of a turn, call after call. */
export type Display = {
  /** A call is answered. Told to the client when there is something to show, once a turn. */
  open: (opening: ModelOpening) => void;
  show: (text: string) => Generator<TurnPiece>;
  showTool: (run: ToolRun) => Generator<TurnPiece>;
  /** All text that was shown. */
  content: () => string;
};

/** Stands between what two calls of a turn said. */
const PARAGRAPH = '\n\n';

export const openDisplay = ({ areToolsShown }: { areToolsShown: boolean }): Display => {
  let opening: ModelOpening | undefined;
  let isOpen = false;
  let content = '';
  /** White space at the start of a call's answer, which may turn out to be all of it. */
  let lead: string | undefined;
  const openUp = function* (): Generator<TurnPiece> {
    if (!isOpen) yield opening!;
    isOpen = true;
  };
  return {
    open: (next) => {
      opening = next;
      lead = content === '' ? '' : PARAGRAPH;
    },
    *show(text) {
      let delta = text;
      if (lead !== undefined) {
        lead += text;
        if (lead.trim() === '') return;
        delta = lead;
        lead = undefined;
      }
      if (delta === '') return;
      yield* openUp();
      content += delta;
      yield { kind: 'delta', text: delta };
    },
    *showTool(run) {
      if (!areToolsShown) return;
      yield* openUp();
      yield { kind: 'tool', run };
    },
    content: () => content,
  };
};
