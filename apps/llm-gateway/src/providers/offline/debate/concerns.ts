import { splitTerms } from '../split-terms.ts';

/** What a brief can be about, and which proposals serve or strain that; all as terms. */
export type Concern = {
  /** The most telling first. */
  readonly cares: ReadonlySet<string>;
  readonly drawnTo: ReadonlySet<string>;
  readonly waryOf: ReadonlySet<string>;
};

const terms = (words: string): ReadonlySet<string> => new Set(splitTerms(words));

const toConcern = (cares: string, drawnTo: string, waryOf: string): Concern => ({
  cares: terms(cares),
  drawnTo: terms(drawnTo),
  waryOf: terms(waryOf),
});

/** English: a brief in another language leaves the decision to the name and the proposition. */
export const CONCERNS: readonly Concern[] = [
  // Money.
  toConcern(
    'cash margin budget runway cost profit money debt expense finance financial accountant ' +
      'treasurer arithmetic price pay spend',
    'cut save reduce raise charge fee cheaper automate consolidate price renegotiate sell',
    'hire hiring invest buy build acquire expand expansion launch open spend free bonus salary ' +
      'office double migrate rewrite sponsor cost borrow',
  ),
  // Growth.
  toConcern(
    'market growth competitor rival brand revenue sale strategy strategist opportunity vision ' +
      'ambition win grow lead',
    'expand expansion launch enter invest acquire grow hire marketing partner open ' +
      'international abroad new double',
    'cut reduce close shrink quit layoff',
  ),
  // Those who use it.
  toConcern(
    'customer client user patient reader visitor people experience feature product support ' +
      'problem design use loved',
    'free improve fix simple simplify support quality discount listen beta rewrite',
    'raise price charge fee remove ads force sunset close cut migrate expand',
  ),
  // Getting it done.
  toConcern(
    'capacity bottleneck team operation delivery logistics schedule calendar week process step ' +
      'owner feasible reversible engineer deliver',
    'hire automate simplify standard standardise outsource pilot',
    'launch migrate rewrite expand expansion double acquire rush switch open new build ' +
      'international',
  ),
  // Those who work there.
  toConcern(
    'employee staff culture talent morale wellbeing colleague union workplace hr burn',
    'remote hybrid bonus salary training hire flexible day',
    'layoff fire overtime office cut automate outsource',
  ),
  // What is allowed.
  toConcern(
    'law legal compliance regulation regulator security privacy audit safety liability ethics',
    'audit encrypt insure comply policy test review',
    'launch share data export outsource rush acquire collect sell track',
  ),
];

/** Briefs that doubt, and briefs that go ahead, whatever it is about. */
export const DOUBT = terms(
  'doubt objection caution sceptic skeptic sceptical skeptical mistake downside failure ' +
    'disconfirm disconfirming attack devil critic critical cautious careful conservative ' +
    'stubborn wrong worst fail object',
);
export const DRIVE = terms(
  'opportunity ambition ambitious vision visionary venture bold pioneer optimist optimistic ' +
    'growth win grow fast',
);

/** Words that turn a proposition round: it is against what else it says. */
export const RESTRAINT = terms('wait delay postpone freeze stop pause halt avoid cancel');
