import type { Side } from '../debate.ts';
import { findMarks } from './resolve-marks.ts';
import type { Cast } from './resolve-marks.ts';
import { splitProse } from './split-prose.ts';
import { sideOf } from './tally-votes.ts';
import type { Tally } from './tally-votes.ts';

/** What a prose says of members: that they dissent, or stand on a side. */
type Role = 'dissent' | Exclude<Side, 'undecided'>;

/** One member or several: `[A]`, `[A, B]`, `[A], [B] and [C]`. */
const GROUP = String.raw`\[[A-Z]{1,2}(?:(?:, ?| and |, and )[A-Z]{1,2})*\]`;
const WHO = String.raw`(?<who>${GROUP}(?:(?:,|,? (?:and|und|et|y|as well as))? ?${GROUP})*)`;
const ISSUE = String.raw`\[i\d+\]`;

const WORDS: Readonly<Record<Role, string>> = {
  dissent: String.raw`(?:dissent(?:s|ed|ers?|ing)?|dissens|dissident(?:s|es|e)?)`,
  against:
    'against|oppos(?:es?|ed|ing)|reject(?:s|ed|ing)?|gegen|lehn(?:t|en)|contre|contra|' +
    "s'oppose(?:nt)?|se oponen?",
  for:
    'for|in favou?r of|support(?:s|ed|ing)?|back(?:s|ed|ing)?|favou?r(?:s|ed|ing)?|' +
    'endors(?:es?|ed|ing)|für|unterstütz(?:t|en)|pour|soutien(?:t|nent)|apoyan?',
};
/** What may stand between members and what they do. */
const BETWEEN =
  String.raw`(?:,? ?(?:who|which|is|are|was|were|stands?|stood|votes?|voted|speaks?|` +
  String.raw`argues?|alone|both|all|also|clearly|strongly|rather|only|mainly|ist|sind|stimm(?:t|en)|` +
  String.raw`est|sont|está|están))*`;

/** What follows a verb, up to the next clause. */
const OBJECT =
  String.raw`(?<object>(?:(?! (?:and|but|yet|while|whereas|although)\b)[^[;:,])*` +
  String.raw`(?:${ISSUE})?)`;

/** Members before what they do: `[A] and [B] oppose [i1]`. */
const beforeVerb = (words: string): RegExp =>
  new RegExp(String.raw`${WHO}${BETWEEN} (?:${words})\b${OBJECT}`, 'giu');

/** Members behind what they do: `Dissent: [A]`, `against [i1]: [A]`, `opposed by [A]`. */
const behindVerb = (words: string): RegExp =>
  new RegExp(
    String.raw`\b(?:${words})\b(?<object>(?: (?:on|from|to)?)? ?(?:it\b|${ISSUE})?)` +
      String.raw`(?: ?[:：]| by| from| (?:is|are|was|were|comes? from))(?: only)? ${WHO}`,
    'giu',
  );

const PATTERNS = (['dissent', 'against', 'for'] as const).flatMap((role) =>
  [beforeVerb(WORDS[role]), behindVerb(WORDS[role])].map((pattern) => ({ role, pattern })),
);

/**
 * The members, by letters, that a prose calls dissenters, or places for or against an issue, where
 * the count does not have them. It reads the common constructions of English and some of German,
 * French and Spanish, and sides only where the issue is named in the sentence; what it cannot place
 * passes. Denials and conditions are passed over.
 */
export const findMisplacedMembers = (
  prose: string,
  { cast, tally }: { cast: Cast; tally: Pick<Tally, 'dissent'> },
): string[] => {
  const found = splitProse(prose).flatMap((sentence) =>
    PATTERNS.flatMap(({ role, pattern }) =>
      [...sentence.matchAll(pattern)].flatMap((match) => {
        const { who = '', object = '' } = match.groups!;
        const before = sentence.slice(0, match.index);
        if (isDenied(before)) return [];
        const issueId = findIssue(object, before, cast);
        return findMarks(who).filter(
          (letter) => !isTallied(letter, { role, issueId, cast, tally }),
        );
      }),
    ),
  );
  return [...new Set(found)];
};

const DENIED =
  /\b(?:neither|nor|not|no|nobody|never|if|unless|weder|kein\w*|ni)\W+(?:\w+\W+){0,2}$/iu;

const isDenied = (before: string): boolean => DENIED.test(before);

/** An object that stands for an issue that was named before. */
const IT = /^\W*(?:$|(?:it|this|that|es|dies\w*|cela|ello)\b)/iu;

/** The issue that is named behind the verb; else the last one before, where the object is that. */
const findIssue = (object: string, before: string, { issues }: Cast): string | undefined => {
  const isIssue = (mark: string): boolean => issues.some(({ id }) => id === mark);
  const named = findMarks(object).find(isIssue);
  return named ?? (IT.test(object) ? findMarks(before).findLast(isIssue) : undefined);
};

type Claim = {
  role: Role;
  issueId: string | undefined;
  cast: Cast;
  tally: Pick<Tally, 'dissent'>;
};

const isTallied = (letter: string, { role, issueId, cast, tally }: Claim): boolean => {
  const member = cast.members.find((one) => one.letter === letter);
  // What points at nothing is another fault.
  if (!member) return true;
  const { agentId, stances } = member.answer;
  if (role === 'dissent') {
    return tally.dissent.some(
      (entry) =>
        entry.agentIds.includes(agentId) && (issueId === undefined || entry.issueId === issueId),
    );
  }
  if (issueId === undefined) return true;
  const taken = stances.find((stance) => stance.issueId === issueId);
  return taken !== undefined && sideOf(taken.stance) === role;
};
