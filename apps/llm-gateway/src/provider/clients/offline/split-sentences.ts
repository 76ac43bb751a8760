// An explicit locale, so that the machine's locale does not change sentence boundaries.
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const DECORATION = /^(?:[-*•>]|#{1,6}|\d{1,3}[.)])\s+/u;
const JSON_MEMBER = /^"([^"]+)":\s*(.*?),?$/u;
const FENCE = /^(?:---.*---|```.*|\[[^\]]*\](?: \(high priority\))?)$/u;
const ENDS_IN_TITLE = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|vs|No|approx|\p{Lu})\.\s*$/u;

/**
 * Returns the trimmed sentences of `text` in order. A line break always ends a sentence. List and
 * heading marks, fences of Witan's context blocks and lines without a letter or digit are dropped;
 * lines of pretty-printed JSON lose their quotes.
 */
export function splitSentences(text: string): string[] {
  return text.split(/[\n\r\u2028\u2029]+/u).flatMap((line) => splitLine(line.trim()));
}

function splitLine(line: string): string[] {
  if (FENCE.test(line)) return [];
  const bare = line.replace(DECORATION, '').replace(JSON_MEMBER, '$1: $2').replaceAll('**', '');
  const sentences: string[] = [];
  let open: string[] = [];
  for (const { segment } of segmenter.segment(bare)) {
    open.push(segment);
    if (ENDS_IN_TITLE.test(segment)) continue;
    sentences.push(open.join(''));
    open = [];
  }
  return [...sentences, open.join('')]
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
