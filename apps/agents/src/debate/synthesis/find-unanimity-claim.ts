import { sideOf } from '../debate.ts';
import type { Answer, Issue } from '../debate.ts';
import { findMarks } from './resolve-marks.ts';

const GROUP_NOUNS = 'members?|agents?|advis[eo]rs?|voices|council|of them|five|four|three|two';
const AGREEMENT_VERBS =
  'agree|concur|support|oppose|back|favou?r|reject|endorse|(?:is|are) (?:for|against|in favou?r)';
const CLAIM = new RegExp(
  [
    String.raw`\bun[aá]nim\p{L}*`,
    String.raw`\b(?:einstimmig|einhellig)\p{L}*`,
    String.raw`\b(?:everyone|everybody) (?:\w+ )?(?:${AGREEMENT_VERBS})\w*`,
    String.raw`\b(?:all|every|each)(?: (?:the|${GROUP_NOUNS}))* (?:\w+ )?(?:agree|concur)\w*`,
    String.raw`\b(?:all|every|each)(?: (?:the|${GROUP_NOUNS}))+ (?:\w+ )?(?:${AGREEMENT_VERBS})\w*`,
    String.raw`\b(?:whole|entire) council (?:\w+ )?(?:${AGREEMENT_VERBS})\w*`,
    String.raw`\b(?:full|complete|total|perfect|universal) (?:agreement|consensus|accord|unity)`,
    String.raw`\b(?:without|no|nobody|none)(?: \w+)? (?:dissent|disagree|object|oppos)\w*`,
    String.raw`\b(?:alle sind sich einig|tous (?:sont )?d.accord|todos est[aá]n de acuerdo)`,
  ].join('|'),
  'iu',
);
const NEGATION_WORDS =
  'not|no|never|nor|isn.t|wasn.t|far from|short of|lack\\w*|rather than|' +
  'nicht|keine?\\w*|pas|sin|sans';
const DENIAL = new RegExp(String.raw`(?:\b(?:${NEGATION_WORDS})|n.t)\W+(?:\w+\W+){0,2}$`, 'iu');

/**
 * Returns the first claim of unanimity that the votes contradict by a dissent or a missing stance,
 * or undefined if there is none. Sentences that name only undisputed issues are ignored.
 */
export const findUnanimityClaim = (
  prose: string,
  { answers, issues }: { answers: readonly Answer[]; issues: readonly Issue[] },
): string | undefined => {
  const disputed = new Set(
    issues.filter((issue) => !isUnanimous(issue, answers)).map(({ id }) => id),
  );
  if (disputed.size === 0) return undefined;
  const namesOnlyUndisputedIssues = (sentence: string): boolean => {
    const named = findMarks(sentence).filter((mark) => issues.some(({ id }) => id === mark));
    return named.length > 0 && named.every((id) => !disputed.has(id));
  };
  for (const sentence of splitProse(prose)) {
    const claim = CLAIM.exec(sentence);
    if (!claim || namesOnlyUndisputedIssues(sentence)) continue;
    if (!DENIAL.test(sentence.slice(0, claim.index))) return claim[0];
  }
  return undefined;
};

const isUnanimous = ({ id }: Issue, answers: readonly Answer[]): boolean => {
  const sidesByAnswer = answers.map(({ stances }) => {
    const statedStance = stances.find(({ issueId }) => issueId === id);
    return statedStance && sideOf(statedStance.stance);
  });
  return sidesByAnswer[0] !== undefined && sidesByAnswer.every((side) => side === sidesByAnswer[0]);
};

export const splitProse = (prose: string): string[] => prose.split(/(?<=[.!?。])\s+|\n/u);
