import { openTagScanner } from '../tags/open-tag-scanner.ts';
import { THOUGHT_TAG_NAMES } from './open-thought-reader.ts';

const JSON_BEGINNING = /^\s*(?:```|~~~|[{[])/;

/**
 * Separates a JSON answer from the thoughts before it, which may contain JSON objects as well. Tags
 * inside the JSON answer are not removed. Unterminated thoughts extend to the end; thoughts without
 * an opening tag (see `openThoughtReader`) extend to their closing tag, except if that tag is
 * likely part of a JSON text. NUL is dropped, because JSON and PostgreSQL reject it.
 */
export const takeLeadingThoughts = (answer: string): { thoughts: string; rest: string } => {
  const text = answer.replaceAll('\0', '');
  const scanner = openTagScanner(THOUGHT_TAG_NAMES);
  const thoughts: string[] = [];
  let open: { name: string; depth: number; from: number } | undefined;
  let restStart = 0;
  let tokenEnd = 0;
  for (const token of [...scanner.push(text), ...scanner.end()]) {
    if (token.kind === 'cut') break;
    const tokenStart = tokenEnd;
    tokenEnd += token.kind === 'text' ? token.text.length : token.source.length;
    if (token.kind === 'text') continue;
    if (open) {
      if (token.name !== open.name) continue;
      if (token.kind === 'closing') open.depth -= 1;
      else if (!token.isSelfClosing) open.depth += 1;
      if (open.depth > 0) continue;
      thoughts.push(text.slice(open.from, tokenStart));
      open = undefined;
    } else if (token.kind === 'closing') {
      const isInsideJson =
        JSON_BEGINNING.test(text.slice(restStart)) && !JSON_BEGINNING.test(text.slice(tokenEnd));
      if (isInsideJson) break;
      thoughts.push(text.slice(restStart, tokenStart));
    } else {
      if (text.slice(restStart, tokenStart).includes('{')) break;
      if (!token.isSelfClosing) open = { name: token.name, depth: 1, from: tokenEnd };
    }
    restStart = tokenEnd;
  }
  if (open) thoughts.push(text.slice(open.from));
  const trimmed = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== '');
  return { thoughts: trimmed.join('\n\n'), rest: open ? '' : text.slice(restStart) };
};
