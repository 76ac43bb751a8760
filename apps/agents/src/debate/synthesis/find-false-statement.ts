import type { Issue, IssueVerdict } from '../debate.ts';
import { contentWordsOf } from './choose-point.ts';
import { splitProse } from './find-unanimity-claim.ts';
import { dropMarks, findMarks } from './resolve-marks.ts';

type Verdict = IssueVerdict['verdict'];
type Facts = { issues: readonly Issue[]; verdicts: readonly IssueVerdict[] };

/** Smallest share of a proposition's content words that states the proposition in words. */
const SHARE_MIN = 0.6;
const WORDS_MIN = 2;

/**
 * Returns the first sentence that states a decision of the council which the verdicts do not hold:
 * one that gives a proposition another side, or that states a decision or a proposition in words
 * instead of by its mark, so that it cannot be checked. Sentences about members are ignored. Sides
 * are read in English, German, Spanish and French; propositions in any language.
 */
export const findFalseStatement = (prose: string, facts: Facts): string | undefined =>
  splitProse(prose).find((sentence) => {
    const issueIds = facts.issues.map(({ id }) => id);
    if (findMarks(sentence).some((mark) => issueIds.includes(mark)))
      return hasFalseSide(sentence, facts);
    if (isStatedInWords(sentence, facts.issues)) return true;
    return sentence.split(CLAUSES).some((clause) => COUNCIL.test(clause) && sideIn(clause));
  });

const isStatedInWords = (sentence: string, issues: readonly Issue[]): boolean => {
  if (MEMBER.test(sentence)) return false;
  const present = contentWordsOf(sentence);
  return issues.some(({ proposition }) => {
    const wanted = [...contentWordsOf(proposition)];
    const shared = wanted.filter((word) => present.has(word)).length;
    return shared >= WORDS_MIN && shared / wanted.length >= SHARE_MIN;
  });
};

const letters = String.raw`[\p{L}\p{N}]`;
const words = (...alternatives: string[]): RegExp =>
  new RegExp(`(?<!${letters})(?:${alternatives.join('|')})(?!${letters})`, 'iu');

/** The council as a whole, not some of its members. */
const COUNCIL = words(
  'council|board|majority|most|everyone|everybody|we|the decision|the verdict',
  'rat|gremium|mehrheit|alle|wir|consejo|mayoría|todos|conseil|majorité|tous',
);
const SUPPORT = words(
  'supports?|supported|approves?|approved|endorses?|endorsed|backs|backed|favou?rs?|favou?red',
  'adopts?|adopted|accepts?|accepted|agrees?|agreed|decides?|decided|recommends?|recommended',
  'in favou?r|carried|should|must',
  'unterstützt|befürwortet|beschließt|beschlossen|beschloss|empfiehlt|einigte|stimmt zu|dafür',
  'apoya|apoyó|respalda|aprueba|aprobó|decide|decidió|acuerda|acordó|recomienda|a favor',
  'soutient|approuve|décide|a décidé|recommande|est pour',
);
const OPPOSE = words(
  'opposes?|opposed|rejects?|rejected|declines?|declined|against|disapproves?',
  'lehnt|abgelehnt|verwirft|verworfen|gegen|dagegen',
  'se opone|opuso|rechaza|rechazó|en contra|contra|rejette|rejeté|refuse|refusé|contre',
);
const SPLIT = words(
  'split|divided|no majority|undecided|neither side|tied|no decision|geteilt|gespalten|uneinig',
  'keine mehrheit|divid(?:e|id)\\p{L}*|sin mayoría|partagé|divisé|pas de majorité',
);
/** Negation that turns support into opposition, directly before the word or after it. */
const NEGATED = words(
  'not|never|no|nicht|kein\\p{L}*|pas|ne|cannot',
  String.raw`(?:did|does|do|should|would|could)n['’]t`,
);
const CONDITION = words('if|unless|whether|would|could|might|wenn|falls|ob|si|podría|pourrait');
const CLAUSES =
  /[;:,]|(?<!\p{L})(?:but|while|whereas|although|and|aber|während|und|pero|mientras|y|mais|et)(?!\p{L})/iu;

/** Returns the side that a clause states; undefined if it states none, or under a condition. */
const sideIn = (clause: string): Verdict | undefined => {
  const text = dropMarks(clause);
  if (CONDITION.test(text)) return undefined;
  if (SPLIT.test(text)) return 'split';
  if (OPPOSE.test(text)) return NEGATED.test(text) ? undefined : 'oppose';
  if (!SUPPORT.test(text)) return undefined;
  return NEGATED.test(text) ? 'oppose' : 'support';
};

/** A proposition with its verdict in the passive, as in "[i1] was rejected". */
const PASSIVE = new RegExp(
  String.raw`\[i\d+\][^[\]]{0,20}(?<!\p{L})` +
    String.raw`(?:is|are|was|were|has been|wird|wurde|ist|es|fue|queda|est|a été)(?!\p{L})`,
  'iu',
);
const MEMBER = /\[[A-Z]{1,2}(?:(?:, ?| and )[A-Z]{1,2})*\]/u;

const ADVICE = words('should|must|sollten?|debemos|debería|devons|devrait|il faut');

/**
 * Reads a sentence clause by clause. A clause without a subject continues the one before it, as in
 * "The council supports [i1] and opposes [i2]".
 */
const hasFalseSide = (sentence: string, { issues, verdicts }: Facts): boolean => {
  let side: Verdict | undefined;
  return sentence.split(CLAUSES).some((clause) => {
    const own = sideIn(clause);
    const named = findMarks(clause);
    const found = verdicts.filter(({ issueId }) => named.includes(issueId));
    const isOfCouncil = [COUNCIL, PASSIVE].some((pattern) => pattern.test(clause));
    const isAdvice = ADVICE.test(clause) && found.length > 0;
    if (MEMBER.test(clause)) side = undefined;
    else if (isOfCouncil || isAdvice || (side && own)) side = own;
    if (found.length === 0) return isStatedInWords(clause, issues);
    return side !== undefined && found.some(({ verdict }) => !isSame(verdict, side!));
  });
};

const isSame = (verdict: Verdict, side: Verdict): boolean =>
  verdict === side || (verdict === 'none' && side === 'split');
