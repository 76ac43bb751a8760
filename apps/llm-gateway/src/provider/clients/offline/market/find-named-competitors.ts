const OPENING = new RegExp(
  String.raw`\b(?:competitors?(?:\s+(?:are|is|like|such as|include))?|` +
    String.raw`compet(?:e|es|ing)\s+(?:with|against)|rivals?(?:\s+(?:are|like|such as))?|` +
    String.raw`alternatives?\s+to|versus|vs\.?)\s*:?\s+`,
  'giu',
);
/** A masked name is a placeholder in double brackets. */
const MASKED = String.raw`\[\[\w{1,80}\]\]`;
const WORD = String.raw`\p{Lu}[\p{L}\p{N}.&'’+-]{0,40}`;
const NAME = new RegExp(
  String.raw`^(?:${MASKED}|${WORD}|\p{N}\p{L}[\p{L}\p{N}-]{0,40})(?: (?:${MASKED}|${WORD})){0,3}`,
  'u',
);
const SEPARATOR = /^(?:\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or|&)\s+)/u;

const MAX_NAMES = 8;

/**
 * Returns the competitors that a question names, in order, without duplicates: capitalised words
 * after "competitors", "versus", "compete with" and the like.
 */
export function findNamedCompetitors(question: string): string[] {
  const names = new Set<string>();
  for (const { index, 0: opening } of question.matchAll(OPENING)) {
    let rest = question.slice(index + opening.length);
    for (let name = takeName(rest); name !== ''; name = takeName(rest)) {
      names.add(name.replace(/[.'’]+$/u, ''));
      const afterName = rest.slice(name.length);
      const separator = SEPARATOR.exec(afterName)?.[0];
      if (separator === undefined || names.size >= MAX_NAMES) break;
      rest = afterName.slice(separator.length);
    }
  }
  return [...names].slice(0, MAX_NAMES);
}

const takeName = (text: string): string => NAME.exec(text.slice(0, 200))?.[0] ?? '';
