import { openTagScanner } from '../tags/open-tag-scanner.ts';
import { foldText } from './memory-key.ts';
import { MEMORY_TAG_NAMES } from './open-memory-reader.ts';
import { toTagKeyNorm } from './to-memory-tag.ts';
import type { MemoryTag } from './to-memory-tag.ts';

/**
 * The tags (one of each key) that say what a tag in a text says: the same key and, but for
 * case, space and punctuation, the same value. A tag in a text that is never closed is echoed by
 * every tag whose value begins the same, because the model would close it.
 */
export function findEchoes(
  tags: readonly MemoryTag[],
  texts: readonly string[],
): ReadonlySet<MemoryTag> {
  const wanted = new Map(tags.map((tag) => [tag.keyNorm, { tag, words: toWords(tag.value) }]));
  const echoes = new Set<MemoryTag>();
  for (const { keyNorm, value, isClosed } of texts.flatMap(findShapes)) {
    const said = wanted.get(keyNorm);
    if (said && isEcho(said.words, toWords(value), isClosed)) echoes.add(said.tag);
  }
  return echoes;
}

/** What has the shape of a memory tag, even when a reader would reject it. */
type TagShape = { keyNorm: string; value: string; isClosed: boolean };

/** Pages escape their tags, and a model may undo that when it repeats one. */
const ESCAPES: readonly [RegExp, string][] = [
  [/&lt;|&#0*60;|&#x0*3c;/gi, '<'],
  [/&gt;|&#0*62;|&#x0*3e;/gi, '>'],
  [/&quot;|&#0*34;|&#x0*22;/gi, '"'],
];

function findShapes(text: string): TagShape[] {
  if (!/memory/i.test(text)) return [];
  let plain = text;
  for (const [escape, character] of ESCAPES) plain = plain.replaceAll(escape, character);
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

/** Its words one space apart; what has none, by its signs. */
function toWords(value: string): string {
  const folded = foldText(value);
  const words = folded.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words === '' ? folded.trim() : words;
}
