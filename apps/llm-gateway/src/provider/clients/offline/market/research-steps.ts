type Step = {
  readonly title: string;
  readonly rationale: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly effort: string;
  readonly impact: string;
  readonly timeframe: string;
  readonly risks: readonly string[];
  readonly kpis: readonly string[];
};

/**
 * Steps to research any market, the most important first; no step makes a claim about the market.
 */
export const RESEARCH_STEPS: readonly Step[] = [
  {
    title: 'Count the buyers, and what one of them spends in a year',
    rationale:
      'Buyers times yearly spend is the size of the market bottom-up, and every factor of it can ' +
      'be checked by itself.',
    priority: 'high',
    effort: 'low',
    impact: 'high',
    timeframe: 'a week',
    risks: ['Those who could buy are taken for those who do'],
    kpis: ['Buyers counted, with the source', 'Yearly spend of a buyer, with the source'],
  },
  {
    title: 'Ask ten buyers what they use today, and what it costs them',
    rationale: 'What they use instead is the competition, whether or not it is sold as such.',
    priority: 'high',
    effort: 'medium',
    impact: 'high',
    timeframe: 'two weeks',
    risks: ['Ten friends are asked instead of ten buyers'],
    kpis: ['Interviews held', 'Alternatives named by three or more'],
  },
  {
    title: 'Hold a published figure against the count',
    rationale: 'Two estimates that come from different sides tell how far either can be trusted.',
    priority: 'medium',
    effort: 'low',
    impact: 'medium',
    timeframe: 'a week',
    risks: ['Both figures turn out to have one source'],
    kpis: ['Distance of the two estimates in percent'],
  },
  {
    title: 'Write down price, customers and promise of each competitor from its own pages',
    rationale: 'A table of what each of them says itself shows which place is free.',
    priority: 'medium',
    effort: 'low',
    impact: 'medium',
    timeframe: 'a week',
    risks: ['List prices are not what is paid'],
    kpis: ['Competitors in the table', 'Fields with a source'],
  },
  {
    title: 'Choose three numbers of the market to look at every quarter',
    rationale: 'A trend is a number that was read twice.',
    priority: 'medium',
    effort: 'low',
    impact: 'medium',
    timeframe: 'two quarters',
    risks: ['What is easy to read is read instead of what matters'],
    kpis: ['Numbers with two readings'],
  },
  {
    title: 'Tell apart who could buy, who can be served and who can be won',
    rationale: 'Plans that take the whole market for the part that can be won fail on sales.',
    priority: 'medium',
    effort: 'low',
    impact: 'medium',
    timeframe: 'a week',
    risks: ['The share that can be won is wished for'],
    kpis: ['Each of the three with its count'],
  },
  {
    title: 'Sell it once before it is built',
    rationale: 'An order is the one answer about demand that costs the other side something.',
    priority: 'medium',
    effort: 'medium',
    impact: 'high',
    timeframe: 'a month',
    risks: ['What was promised cannot be delivered'],
    kpis: ['Orders or letters of intent'],
  },
  {
    title: 'Write down what finding would end the plan',
    rationale: 'What is decided before the figures are there is not bent to fit them.',
    priority: 'low',
    effort: 'low',
    impact: 'medium',
    timeframe: 'a day',
    risks: ['Nobody looks at it again'],
    kpis: ['Findings with a date on which they are looked at'],
  },
];
