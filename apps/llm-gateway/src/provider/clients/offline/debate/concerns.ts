import { splitTerms } from '../split-terms.ts';

/** A subject that a brief can be about, with the terms of proposals that benefit or harm it. */
export type Concern = {
  /** Words of the subject, the most characteristic first. */
  readonly keywords: ReadonlySet<string>;
  readonly favours: ReadonlySet<string>;
  readonly opposes: ReadonlySet<string>;
  readonly benefit: string;
  readonly harm: string;
};

const terms = (words: string): ReadonlySet<string> => new Set(splitTerms(words));

type ConcernWords = Readonly<Record<keyof Concern, string>>;

const toConcern = ({ keywords, favours, opposes, ...effects }: ConcernWords): Concern => ({
  ...effects,
  keywords: terms(keywords),
  favours: terms(favours),
  opposes: terms(opposes),
});

/**
 * Concerns in English only; for a brief in another language the name and the proposition decide.
 */
export const CONCERNS: readonly Concern[] = [
  toConcern({
    keywords:
      'cash margin budget runway cost profit money debt expense finance financial accountant ' +
      'treasurer arithmetic price pay spend',
    favours: 'cut save reduce raise charge fee cheaper automate consolidate price renegotiate sell',
    opposes:
      'hire hiring invest buy build acquire expand expansion launch open spend free bonus salary ' +
      'office double migrate rewrite sponsor cost borrow money',
    benefit: 'it would leave more cash in hand',
    harm: 'it would take cash out before it brings any in',
  }),
  toConcern({
    keywords:
      'market growth competitor rival brand revenue sale strategy strategist opportunity vision ' +
      'ambition win grow lead',
    favours:
      'expand expansion launch enter invest acquire grow hire marketing partner open ' +
      'international abroad new double',
    opposes: 'cut reduce close shrink quit layoff',
    benefit: 'it would win ground while rivals wait',
    harm: 'it would leave ground to rivals',
  }),
  toConcern({
    keywords:
      'customer client user patient reader visitor people experience feature product support ' +
      'problem design use loved',
    favours: 'free improve fix simple simplify support quality discount listen beta rewrite',
    opposes: 'raise price charge fee remove ads force sunset close cut migrate expand',
    benefit: 'customers would be better off with it',
    harm: 'customers would be the ones to bear it',
  }),
  toConcern({
    keywords:
      'capacity bottleneck team operation delivery logistics schedule calendar week process step ' +
      'owner feasible reversible engineer deliver',
    favours: 'hire automate simplify standard standardise outsource pilot',
    opposes:
      'launch migrate rewrite expand expansion double acquire rush switch open new build ' +
      'international',
    benefit: 'it would take work off teams that are full',
    harm: 'it would put more work on teams that are full',
  }),
  toConcern({
    keywords: 'employee staff culture talent morale wellbeing colleague union workplace hr burn',
    favours: 'remote hybrid bonus salary training hire flexible day',
    opposes: 'layoff fire overtime office cut automate outsource',
    benefit: 'those who work here would be better off with it',
    harm: 'those who work here would be the ones to bear it',
  }),
  toConcern({
    keywords:
      'law legal compliance regulation regulator security privacy audit safety liability ethics',
    favours: 'audit encrypt insure comply policy test review',
    opposes: 'launch share data export outsource rush acquire collect sell track',
    benefit: 'it would leave less to answer for',
    harm: 'it would have to be cleared with the rules first',
  }),
];

/** An attitude toward proposals on any subject. */
export type Attitude = {
  readonly keywords: ReadonlySet<string>;
  readonly statement: string;
};

export const CAUTION: Attitude = {
  keywords: terms(
    'doubt objection caution sceptic skeptic sceptical skeptical mistake downside failure ' +
      'disconfirm disconfirming attack devil critic critical cautious careful conservative ' +
      'stubborn wrong worst fail object',
  ),
  statement: 'what could go wrong with it has not been shown yet',
};
export const AMBITION: Attitude = {
  keywords: terms(
    'opportunity ambition ambitious vision visionary venture bold pioneer optimist optimistic ' +
      'growth win grow fast',
  ),
  statement: 'such a chance is not there for long',
};

/** Terms for not doing something; in a proposition they reverse its direction. */
export const RESTRAINT = terms('wait delay postpone freeze stop pause halt avoid cancel');
