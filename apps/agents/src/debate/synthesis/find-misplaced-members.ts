import { sideOf } from '../debate.ts';
import type { Side } from '../debate.ts';
import { findMarks } from './resolve-marks.ts';
import type { MarkTargets } from './resolve-marks.ts';
import { splitProse } from './find-unanimity-claim.ts';
import type { Tally } from './tally-votes.ts';

type Role = 'dissent' | Exclude<Side, 'undecided'>;

const GROUP = String.raw`\[[A-Z]{1,2}(?:(?:, ?| and |, and )[A-Z]{1,2})*\]`;
const MEMBERS = String.raw`(?<who>${GROUP}(?:(?:,|,? (?:and|und|et|y|as well as))? ?${GROUP})*)`;
const ISSUE = String.raw`\[i\d+\]`;

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  dissent: String.raw`(?:dissent(?:s|ed|ers?|ing)?|dissens|dissident(?:s|es|e)?)`,
  against:
    'against|oppos(?:es?|ed|ing)|reject(?:s|ed|ing)?|gegen|lehn(?:t|en)|contre|contra|' +
    "s'oppose(?:nt)?|se oponen?",
  for:
    'for|in favou?r of|support(?:s|ed|ing)?|back(?:s|ed|ing)?|favou?r(?:s|ed|ing)?|' +
    'endors(?:es?|ed|ing)|für|unterstütz(?:t|en)|pour|soutien(?:t|nent)|apoyan?',
};
const VERB_AUXILIARIES =
  String.raw`(?:,? ?(?:who|which|is|are|was|were|stands?|stood|votes?|voted|speaks?|` +
  String.raw`argues?|alone|both|all|also|clearly|strongly|rather|only|mainly|ist|sind|stimm(?:t|en)|` +
  String.raw`est|sont|está|están))*`;

const OBJECT =
  String.raw`(?<object>(?:(?! (?:and|but|yet|while|whereas|although)\b)[^[;:,])*` +
  String.raw`(?:${ISSUE})?)`;

/** Returns a pattern for members before the verb, as in `[A] and [B] oppose [i1]`. */
const beforeVerb = (words: string): RegExp =>
  new RegExp(String.raw`${MEMBERS}${VERB_AUXILIARIES} (?:${words})\b${OBJECT}`, 'giu');

/**
 * Returns a pattern for members after a keyword, as in `Dissent: [A]`, `against [i1]: [A]` or
 * `opposed by [A]`.
 */
const afterVerb = (words: string): RegExp =>
  new RegExp(
    String.raw`\b(?:${words})\b(?<object>(?: (?:on|from|to)?)? ?(?:it\b|${ISSUE})?)` +
      String.raw`(?: ?[:：]| by| from| (?:is|are|was|were|comes? from))(?: only)? ${MEMBERS}`,
    'giu',
  );

const PATTERNS = (['dissent', 'against', 'for'] as const).flatMap((role) =>
  [beforeVerb(ROLE_WORDS[role]), afterVerb(ROLE_WORDS[role])].map((pattern) => ({ role, pattern })),
);

/**
 * Returns the letters of members that the prose presents, contrary to the votes, as dissenters or
 * as for or against an issue. It recognizes common constructions of English and some of German,
 * French and Spanish; sides are checked only if the sentence names the issue. Other constructions,
 * denials and conditions are ignored.
 */
export const findMisplacedMembers = (
  prose: string,
  { targets, tally }: { targets: MarkTargets; tally: Pick<Tally, 'dissent'> },
): string[] => {
  const found = splitProse(prose).flatMap((sentence) =>
    PATTERNS.flatMap(({ role, pattern }) =>
      [...sentence.matchAll(pattern)].flatMap((match) => {
        const { who = '', object = '' } = match.groups!;
        const before = sentence.slice(0, match.index);
        if (isDenied(before)) return [];
        const issueId = findIssue(object, before, targets);
        return findMarks(who).filter(
          (letter) => !isInTally(letter, { role, issueId, targets, tally }),
        );
      }),
    ),
  );
  return [...new Set(found)];
};

const NEGATION_BEFORE =
  /\b(?:neither|nor|not|no|nobody|never|if|unless|weder|kein\w*|ni)\W+(?:\w+\W+){0,2}$/iu;

const isDenied = (before: string): boolean => NEGATION_BEFORE.test(before);

const EMPTY_OR_PRONOUN = /^\W*(?:$|(?:it|this|that|es|dies\w*|cela|ello)\b)/iu;

/**
 * Returns the issue that the object of the verb names or, if the object is missing or a pronoun,
 * the last issue named before it.
 */
const findIssue = (object: string, before: string, { issues }: MarkTargets): string | undefined => {
  const isIssue = (mark: string): boolean => issues.some(({ id }) => id === mark);
  const namedIssue = findMarks(object).find(isIssue);
  return (
    namedIssue ?? (EMPTY_OR_PRONOUN.test(object) ? findMarks(before).findLast(isIssue) : undefined)
  );
};

type Claim = {
  role: Role;
  issueId: string | undefined;
  targets: MarkTargets;
  tally: Pick<Tally, 'dissent'>;
};

const isInTally = (letter: string, { role, issueId, targets, tally }: Claim): boolean => {
  const member = targets.members.find((one) => one.letter === letter);
  // Letters of no member are accepted here, because `findUnknown` reports them.
  if (!member) return true;
  const { agentId, stances } = member.answer;
  if (role === 'dissent') {
    return tally.dissent.some(
      (entry) =>
        entry.agentIds.includes(agentId) && (issueId === undefined || entry.issueId === issueId),
    );
  }
  if (issueId === undefined) return true;
  const memberStance = stances.find((stance) => stance.issueId === issueId);
  return memberStance !== undefined && sideOf(memberStance.stance) === role;
};
