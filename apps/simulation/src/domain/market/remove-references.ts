export type WithoutReferences = { text: string; links: number; sources: number };

const URL = String.raw`(?:https?:\/\/|\bwww\.)[^\s<>"'${'`'})\]}]+`;
const LEAD = String.raw`\b(?:(?:see|visit|via|at|from|on|cf\.?|siehe|vgl\.?|unter|sources?|quellen?)\s*(?:also|auch)?\s*:?\s+)`;
const MORE = String.raw`(?:\b(?:read |find |learn |mehr |more |details |available |further )+)?`;
const MARKDOWN_LINK = new RegExp(
  String.raw`(?<lead>${LEAD})?\[(?<words>[^\]\n]{1,300})\]\((?<link>${URL})\)`,
  'giu',
);
const LINK = new RegExp(String.raw`${MORE}(?:${LEAD})?(?<link>${URL})`, 'giu');

const CITED = String.raw`(?:data\s+)?(?:sources?|quellen?)`;
/** Matches up to the end of the sentence. The period in "U.S." or "2.5" does not end it. */
const BODY = String.raw`(?:[^.;\n]|\.(?=\S)|(?<=\b\p{Lu})\.){1,200}`;
const BRACKETED = new RegExp(
  String.raw`\s*[([]\s*${CITED}\b(?!\s+of\b)\s*:?\s*(?<body>[^)\]]{1,200})[)\]]`,
  'giu',
);
const PLAIN = new RegExp(
  String.raw`(?<=^\s*|[^\p{L}\s([]\s*)\b${CITED}\s*:\s*(?<body>${BODY})`,
  'giu',
);
const PUBLISHERS = [
  'statista|nielsen(?:iq)?|gartner|idc|forrester|mckinsey|euromonitor|mordor intelligence',
  'grand view research|ibisworld|mintel|kantar|gfk|deloitte|pwc|bloomberg|cb insights',
  'frost (?:&|and) sullivan|marketsandmarkets|fortune business insights|crunchbase',
].join('|');
const ATTRIBUTED = new RegExp(
  String.raw`,?\s*\b(?:according to|as reported by|per|laut)\s+(?<body>${PUBLISHERS})` +
    String.raw`\b(?:\s+\d{4})?(?:\s+(?:report|data|study|figures|estimates))?(?:\s*\(?\d{4}\)?)?,?`,
  'giu',
);

/**
 * Removes links and named sources that the question does not contain, because the model read no web
 * page and may have invented them.
 */
export const removeReferences = (text: string, question: string): WithoutReferences => {
  const removed = { links: 0, sources: 0 };
  const asked = question.toLowerCase();
  const drop = (kind: keyof typeof removed, pattern: RegExp) => (given: string) =>
    given.replaceAll(pattern, (whole: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const reference = (groups['link'] ?? groups['body']!).replace(ENDING, '');
      if (asked.includes(reference.toLowerCase())) return whole;
      removed[kind] += 1;
      const words = groups['lead'] === undefined ? (groups['words'] ?? '') : '';
      return words + (kind === 'links' ? (ENDING.exec(whole)?.[0] ?? '') : '');
    });
  const without = [
    drop('links', MARKDOWN_LINK),
    drop('links', LINK),
    drop('sources', BRACKETED),
    drop('sources', PLAIN),
    drop('sources', ATTRIBUTED),
  ].reduce((left, step) => step(left), text);
  const isWhole = removed.links + removed.sources === 0;
  return { text: isWhole ? text : closeGaps(without), ...removed };
};

const ENDING = /[\s.,;:!?]+$/u;

const closeGaps = (text: string): string =>
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
