import { create } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Part, Turn } from '@witan/contracts';

/**
 * Joins adjacent turns of one role, because the templates of some models refuse them. Two texts
 * that meet become one, with a blank line between them, because some runtimes accept one text only.
 */
export const joinRoles = (turns: readonly Turn[]): Turn[] => {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role !== turn.role) joined.push(turn);
    else joined[joined.length - 1] = { ...last, parts: joinParts(last.parts, turn.parts) };
  }
  return joined;
};

const joinParts = (earlier: readonly Part[], later: readonly Part[]): Part[] => {
  const last = earlier.at(-1)?.part;
  const [first, ...rest] = later;
  if (last?.case !== 'text' || first?.part.case !== 'text') return [...earlier, ...later];
  const { value } = first.part;
  const text = [last.value.text, value.text].filter((one) => one !== '').join('\n\n');
  const cacheControl = value.cacheControl || last.value.cacheControl;
  const part = create(PartSchema, { part: { case: 'text', value: { text, cacheControl } } });
  return [...earlier.slice(0, -1), part, ...rest];
};
