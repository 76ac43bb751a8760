type ReferenceRemoval = { text: string; links: number; sources: number };

const URL = String.raw`(?:https?:\/\/|\bwww\.)[^\s<>"'${'`'})\]}]+`;
const INTRODUCING_WORDS = String.raw`\b(?:(?:see|visit|via|at|from|on|cf\.?|siehe|vgl\.?|unter|sources?|quellen?)\s*(?:also|auch)?\s*:?\s+)`;
const MORE = String.raw`(?:\b(?:read |find |learn |mehr |more |details |available |further )+)?`;
const MARKDOWN_LINK = new RegExp(
  String.raw`(?<lead>${INTRODUCING_WORDS})?\[(?<words>[^\]\n]{1,300})\]\((?<link>${URL})\)`,
  'giu',
);
const LINK = new RegExp(String.raw`${MORE}(?:${INTRODUCING_WORDS})?(?<link>${URL})`, 'giu');

const SOURCE_LABEL = String.raw`(?:data\s+)?(?:sources?|quellen?)`;
/**
 * Matches up to 200 characters that end before the end of the sentence, a semicolon or a line
 * break. The period in "U.S." or "2.5" does not end the sentence.
 */
const SENTENCE_REST = String.raw`(?:[^.;\n]|\.(?=\S)|(?<=\b\p{Lu})\.){1,200}`;
const BRACKETED_SOURCE = new RegExp(
  String.raw`\s*[([]\s*${SOURCE_LABEL}\b(?!\s+of\b)\s*:?\s*(?<body>[^)\]]{1,200})[)\]]`,
  'giu',
);
const LABELED_SOURCE = new RegExp(
  String.raw`(?<=^\s*|[^\p{L}\s([]\s*)\b${SOURCE_LABEL}\s*:\s*(?<body>${SENTENCE_REST})`,
  'giu',
);
const PUBLISHERS = [
  'statista|nielsen(?:iq)?|gartner|idc|forrester|mckinsey|euromonitor|mordor intelligence',
  'grand view research|ibisworld|mintel|kantar|gfk|deloitte|pwc|bloomberg|cb insights',
  'frost (?:&|and) sullivan|marketsandmarkets|fortune business insights|crunchbase',
].join('|');
const ATTRIBUTION = new RegExp(
  String.raw`,?\s*\b(?:according to|as reported by|per|laut)\s+(?<body>${PUBLISHERS})` +
    String.raw`\b(?:\s+\d{4})?(?:\s+(?:report|data|study|figures|estimates))?(?:\s*\(?\d{4}\)?)?,?`,
  'giu',
);

/**
 * Removes links and named sources that the question does not contain, because the model read no web
 * page and may have invented them.
 */
export const removeReferences = (text: string, question: string): ReferenceRemoval => {
  const removed = { links: 0, sources: 0 };
  const lowerCaseQuestion = question.toLowerCase();
  const removeMatches = (kind: keyof typeof removed, pattern: RegExp) => (input: string) =>
    input.replaceAll(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const reference = (groups['link'] ?? groups['body']!).replace(TRAILING_PUNCTUATION, '');
      if (lowerCaseQuestion.includes(reference.toLowerCase())) return match;
      removed[kind] += 1;
      const linkText = groups['lead'] === undefined ? (groups['words'] ?? '') : '';
      return linkText + (kind === 'links' ? (TRAILING_PUNCTUATION.exec(match)?.[0] ?? '') : '');
    });
  const remainingText = [
    removeMatches('links', MARKDOWN_LINK),
    removeMatches('links', LINK),
    removeMatches('sources', BRACKETED_SOURCE),
    removeMatches('sources', LABELED_SOURCE),
    removeMatches('sources', ATTRIBUTION),
  ].reduce((left, step) => step(left), text);
  const isUnchanged = removed.links + removed.sources === 0;
  return { text: isUnchanged ? text : repairPunctuation(remainingText), ...removed };
};

const TRAILING_PUNCTUATION = /[\s.,;:!?]+$/u;

/**
 * Removes the empty brackets, dangling conjunctions and punctuation that removed references leave
 * behind, and capitalizes the first letter.
 */
const repairPunctuation = (text: string): string =>
  text
    .replaceAll(/\(\s*\)|\[\s*\]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s+(?:and|or|und|oder)\s*(?=[.,;:!?)]|$)/giu, '')
    .replaceAll(/\s+([.,;:!?)])/gu, '$1')
    .replaceAll(/[,;:–—-]+\s*([.!?])/gu, '$1')
    .replaceAll(/([.!?])(?:\s*\1)+/gu, '$1')
    .replace(/^[\s.,;:!?–—-]+/u, '')
    .replace(/\s*[,;:–—-]\s*$/u, '')
    .trim()
    .replace(/^\p{Ll}/u, (first) => first.toUpperCase());
