import { toClause } from './to-clause.ts';

const PRONOUN = 'we|i|they|you|he|she|it|this|that';
const DETERMINER = 'the|our|my|your|their|its|a|an';
const MODAL = 'should|shall|must|can|could|would|will|may|might';
const WH = String.raw`(?:what|which|who|whom|whose|where|when|why|how)(?: [\p{L}-]+){0,4}?`;

const ASK = String.raw`(?<ask>${WH})`;
const BE_OR_HAVE = 'is|are|am|was|were|have|has';
const NOUN = String.raw`(?:${DETERMINER}) [\p{L}-]+`;
const MORE_WORDS = String.raw`(?: [\p{L}-]+)`;

/**
 * Each pattern has the groups `ask`, `who`, `verb` and `rest`; the indirect question is `ask who
 * verb rest`.
 */
const FORMS: readonly RegExp[] = [
  // "How can we grow?", "Why are we losing customers?"
  String.raw`${ASK} (?<verb>${MODAL}|${BE_OR_HAVE}) (?<who>${PRONOUN})(?<rest> .+)`,
  // "What colour should the new logo be?"
  String.raw`${ASK} (?<verb>${MODAL}) (?<who>${NOUN}${MORE_WORDS}{0,3})(?<rest> be(?: .+)?)`,
  // "How much should the logo cost?"
  String.raw`${ASK} (?<verb>${MODAL}) (?<who>${NOUN})(?<rest>${MORE_WORDS})`,
  // "What do customers want?"
  String.raw`${ASK} do (?<who>[\p{L}][\p{L}' -]*)(?<verb>)(?<rest>)`,
  // "What is our runway?"
  String.raw`(?<ask>what|who|where) (?<verb>is|are) (?<who>${NOUN}${MORE_WORDS}{0,2})(?<rest>)`,
].map((form) => new RegExp(`^${form}$`, 'iu'));

const WHETHER = new RegExp(
  String.raw`^(?:(?<verb>${BE_OR_HAVE}) (?<who>${PRONOUN})|do (?<all>[\p{L}]\S*))(?<rest> .+)$`,
  'iu',
);

/**
 * Returns a question without its mark as a clause: "what colour the new logo should be", "whether
 * we are too slow". Undefined for a question that is not English or whose subject no rule finds.
 */
export function toIndirectQuestion(question: string): string | undefined {
  for (const form of FORMS) {
    const found = form.exec(question)?.groups;
    if (found) {
      const { ask = '', who = '', verb = '', rest = '' } = found;
      const words = [ask.toLowerCase(), toClause(who), verb.toLowerCase()];
      return `${words.filter((word) => word !== '').join(' ')}${rest}`;
    }
  }
  const yesNo = WHETHER.exec(question)?.groups;
  if (!yesNo) return undefined;
  const { verb, who = '', all = '', rest = '' } = yesNo;
  const subject = verb === undefined ? toClause(all) : `${toClause(who)} ${verb.toLowerCase()}`;
  return `whether ${subject}${rest}`;
}
