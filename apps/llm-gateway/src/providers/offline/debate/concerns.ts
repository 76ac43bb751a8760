import { splitTerms } from '../split-terms.ts';

/** A subject that a brief can be about, with the proposals that benefit or harm it, as terms. */
export type Concern = {
  /** The most characteristic first. */
  readonly cares: ReadonlySet<string>;
  readonly drawnTo: ReadonlySet<string>;
  readonly waryOf: ReadonlySet<string>;
  readonly served: string;
  readonly strained: string;
};

const terms = (words: string): ReadonlySet<string> => new Set(splitTerms(words));

type ConcernWords = Readonly<Record<keyof Concern, string>>;

const toConcern = ({ cares, drawnTo, waryOf, ...effects }: ConcernWords): Concern => ({
  ...effects,
  cares: terms(cares),
  drawnTo: terms(drawnTo),
  waryOf: terms(waryOf),
});

/** English only; for a brief in another language the name and the proposition decide. */
export const CONCERNS: readonly Concern[] = [
  toConcern({
    cares:
      'cash margin budget runway cost profit money debt expense finance financial accountant ' +
      'treasurer arithmetic price pay spend',
    drawnTo: 'cut save reduce raise charge fee cheaper automate consolidate price renegotiate sell',
    waryOf:
      'hire hiring invest buy build acquire expand expansion launch open spend free bonus salary ' +
      'office double migrate rewrite sponsor cost borrow money',
    served: 'it would leave more cash in hand',
    strained: 'it would take cash out before it brings any in',
  }),
  toConcern({
    cares:
      'market growth competitor rival brand revenue sale strategy strategist opportunity vision ' +
      'ambition win grow lead',
    drawnTo:
      'expand expansion launch enter invest acquire grow hire marketing partner open ' +
      'international abroad new double',
    waryOf: 'cut reduce close shrink quit layoff',
    served: 'it would win ground while rivals wait',
    strained: 'it would leave ground to rivals',
  }),
  toConcern({
    cares:
      'customer client user patient reader visitor people experience feature product support ' +
      'problem design use loved',
    drawnTo: 'free improve fix simple simplify support quality discount listen beta rewrite',
    waryOf: 'raise price charge fee remove ads force sunset close cut migrate expand',
    served: 'customers would be better off with it',
    strained: 'customers would be the ones to bear it',
  }),
  toConcern({
    cares:
      'capacity bottleneck team operation delivery logistics schedule calendar week process step ' +
      'owner feasible reversible engineer deliver',
    drawnTo: 'hire automate simplify standard standardise outsource pilot',
    waryOf:
      'launch migrate rewrite expand expansion double acquire rush switch open new build ' +
      'international',
    served: 'it would take work off teams that are full',
    strained: 'it would put more work on teams that are full',
  }),
  toConcern({
    cares: 'employee staff culture talent morale wellbeing colleague union workplace hr burn',
    drawnTo: 'remote hybrid bonus salary training hire flexible day',
    waryOf: 'layoff fire overtime office cut automate outsource',
    served: 'those who work here would be better off with it',
    strained: 'those who work here would be the ones to bear it',
  }),
  toConcern({
    cares:
      'law legal compliance regulation regulator security privacy audit safety liability ethics',
    drawnTo: 'audit encrypt insure comply policy test review',
    waryOf: 'launch share data export outsource rush acquire collect sell track',
    served: 'it would leave less to answer for',
    strained: 'it would have to be cleared with the rules first',
  }),
];

/** An attitude toward proposals on any subject. */
export type Temper = {
  readonly cares: ReadonlySet<string>;
  readonly statement: string;
};

export const CAUTION: Temper = {
  cares: terms(
    'doubt objection caution sceptic skeptic sceptical skeptical mistake downside failure ' +
      'disconfirm disconfirming attack devil critic critical cautious careful conservative ' +
      'stubborn wrong worst fail object',
  ),
  statement: 'what could go wrong with it has not been shown yet',
};
export const DRIVE: Temper = {
  cares: terms(
    'opportunity ambition ambitious vision visionary venture bold pioneer optimist optimistic ' +
      'growth win grow fast',
  ),
  statement: 'such a chance is not there for long',
};

/** Words that reverse a proposition. */
export const RESTRAINT = terms('wait delay postpone freeze stop pause halt avoid cancel');
