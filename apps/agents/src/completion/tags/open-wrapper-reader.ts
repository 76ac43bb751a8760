import { openTagScanner } from './open-tag-scanner.ts';
import type { TagToken } from './open-tag-scanner.ts';

type WrapperReader = {
  push: (piece: string) => string;
  end: (ending: { isCut: boolean }) => string;
};

/**
 * Opens a reader that removes a tag `<answer>` around an answer, which some models write. The tag
 * must be the first thing in the answer. The result does not depend on how the answer is split.
 */
export const openWrapperReader = (): WrapperReader => {
  const scanner = openTagScanner(['answer']);
  let state: 'start' | 'wrapped' | 'plain' = 'start';
  const readToken = (token: TagToken): string => {
    if (token.kind === 'cut') return '';
    if (token.kind === 'text') {
      if (state === 'start' && token.text.trim() !== '') state = 'plain';
      return token.text;
    }
    if (state === 'start' && token.kind === 'opening') {
      state = 'wrapped';
      return '';
    }
    if (state === 'start') state = 'plain';
    return state === 'wrapped' ? '' : token.source;
  };
  return {
    push: (piece) => scanner.push(piece).map(readToken).join(''),
    end: (ending) => scanner.end(ending).map(readToken).join(''),
  };
};
