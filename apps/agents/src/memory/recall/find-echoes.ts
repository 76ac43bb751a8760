import { openTagScanner } from '../../completion/tags/open-tag-scanner.ts';
import { foldText, toKeyNorm } from '../memory.ts';
import { addBrackets } from '../tags/open-bare-tag-reader.ts';
import { MEMORY_TAG_NAMES } from '../tags/open-memory-reader.ts';
import { toTagKeyNorm } from '../tags/to-memory-tag.ts';
import type { MemoryTag } from '../tags/to-memory-tag.ts';
import { undoEscapes } from '../tags/undo-escapes.ts';

/**
 * Returns the tags that repeat a tag in an untrusted text: their keys are equal, and so are their
 * values, apart from case, space, punctuation and escapes. If the tag in the text has a value but
 * is not closed, it suffices that one of the values begins with the other, because the model may
 * have completed it.
 */
export function findEchoes(
  tags: readonly MemoryTag[],
  texts: readonly string[],
): ReadonlySet<MemoryTag> {
  const expectedTags = tags.map((tag) => ({
    tag,
    keyNorm: toKeyNorm(undoEscapes(tag.key)),
    words: toWords(undoEscapes(tag.value)),
  }));
  const byKey = Map.groupBy(expectedTags, ({ keyNorm }) => keyNorm);
  const echoes = new Set<MemoryTag>();
  for (const { keyNorm, value, isClosed } of texts.flatMap(findShapes)) {
    const shape = toWords(value);
    for (const { tag, words } of byKey.get(keyNorm) ?? []) {
      if (isEcho(words, shape, isClosed)) echoes.add(tag);
    }
  }
  return echoes;
}

/** Tag in an untrusted text, even one that `openMemoryReader` would reject. */
type TagShape = { keyNorm: string; value: string; isClosed: boolean };

function findShapes(text: string): TagShape[] {
  const plain = addBrackets(undoEscapes(text));
  if (!/memory/i.test(plain)) return [];
  const scanner = openTagScanner(MEMORY_TAG_NAMES);
  const shapes: TagShape[] = [];
  let open: TagShape | undefined;
  for (const token of [...scanner.push(plain), ...scanner.end()]) {
    if (token.kind === 'text') {
      if (open) open.value += token.text;
      continue;
    }
    if (open && token.kind === 'closing') open.isClosed = true;
    open = undefined;
    if (token.kind !== 'opening') continue;
    open = { keyNorm: toTagKeyNorm(token), value: '', isClosed: false };
    shapes.push(open);
  }
  return shapes;
}

function isEcho(words: string, shape: string, isClosed: boolean): boolean {
  if (isClosed || shape === '') return words === shape;
  return words.startsWith(shape) || shape.startsWith(words);
}

function toWords(value: string): string {
  const folded = foldText(value);
  const words = folded.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words === '' ? folded.trim() : words;
}
