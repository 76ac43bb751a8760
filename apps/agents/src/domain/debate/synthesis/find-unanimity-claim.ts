import type { Dissent, Issue } from '../debate.ts';
import { findMarks } from './resolve-marks.ts';

const WHO = 'members?|agents?|advis[eo]rs?|voices|council|of them|five|four|three|two';
/** Words that leave nobody out, in the languages seen most. */
const CLAIM = new RegExp(
  [
    String.raw`\bun[aá]nim\p{L}*`,
    String.raw`\b(?:einstimmig|einhellig)\p{L}*`,
    String.raw`\b(?:everyone|everybody) (?:\w+ )?(?:agree|concur|support|oppose)\w*`,
    String.raw`\b(?:all|every|each)(?: (?:the|${WHO}))* (?:\w+ )?(?:agree|concur)\w*`,
    String.raw`\b(?:full|complete|total|perfect|universal) (?:agreement|consensus|accord|unity)`,
    String.raw`\b(?:without|no|nobody|none)(?: \w+)? (?:dissent|disagree|object|oppos)\w*`,
    String.raw`\b(?:alle sind sich einig|tous (?:sont )?d.accord|todos est[aá]n de acuerdo)`,
  ].join('|'),
  'iu',
);
const DENYING =
  'not|no|never|nor|isn.t|wasn.t|far from|short of|lack\\w*|rather than|' +
  'nicht|keine?\\w*|pas|sin|sans';
/** Right before a claim: it is denied. */
const DENIAL = new RegExp(String.raw`(?:\b(?:${DENYING})|n.t)\W+(?:\w+\W+){0,2}$`, 'iu');

/**
 * Words by which a synthesis says that nobody dissents, although somebody does; undefined when
 * there are none. A sentence about issues alone on which nobody dissents may say so.
 */
export const findUnanimityClaim = (
  prose: string,
  { dissent, issues }: { dissent: readonly Dissent[]; issues: readonly Issue[] },
): string | undefined => {
  if (dissent.length === 0) return undefined;
  const disputed = new Set(dissent.map(({ issueId }) => issueId));
  const isSettled = (sentence: string): boolean => {
    const named = findMarks(sentence).filter((mark) => issues.some(({ id }) => id === mark));
    return named.length > 0 && named.every((id) => !disputed.has(id));
  };
  for (const sentence of prose.split(/(?<=[.!?。])\s+|\n/u)) {
    const claim = CLAIM.exec(sentence);
    if (!claim || isSettled(sentence)) continue;
    if (!DENIAL.test(sentence.slice(0, claim.index))) return claim[0];
  }
  return undefined;
};
