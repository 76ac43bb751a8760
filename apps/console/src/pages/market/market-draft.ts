export type DraftItem = { title: string; text: string };

/** What a model has written so far, which nothing has checked. */
export type MarketDraft = {
  /** Members of the market's size with their values. */
  marketSize: readonly DraftItem[];
  trends: readonly string[];
  competitors: readonly DraftItem[];
  recommendations: readonly DraftItem[];
  assumptions: readonly string[];
};

export const EMPTY_DRAFT: MarketDraft = {
  marketSize: [],
  trends: [],
  competitors: [],
  recommendations: [],
  assumptions: [],
};

export type MarketSection = keyof MarketDraft;

/** The sections in the order in which a model is asked to write them. */
export const SECTIONS: readonly { name: MarketSection; title: string }[] = [
  { name: 'marketSize', title: 'Market size' },
  { name: 'trends', title: 'Trends' },
  { name: 'competitors', title: 'Competitors' },
  { name: 'recommendations', title: 'Recommendations' },
  { name: 'assumptions', title: 'Assumptions' },
];

/** Returns the readable parts of any value; a part of another shape is left out. */
export const toDraft = (value: unknown): MarketDraft => {
  const { marketSize, trends, competitors, recommendations, assumptions } = asObject(value);
  return {
    marketSize: toMembers(marketSize),
    trends: toTexts(trends),
    competitors: toItems(competitors, 'name', ['positioning', 'description']),
    recommendations: toItems(recommendations, 'title', ['rationale']),
    assumptions: toTexts(assumptions),
  };
};

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const toTexts = (value: unknown): string[] =>
  asList(value)
    .map(asText)
    .filter((text) => text !== '');

const toMembers = (value: unknown): DraftItem[] => {
  if (typeof value === 'string') return [{ title: 'description', text: value }];
  return Object.entries(asObject(value))
    .map(([title, member]) => ({ title, text: asText(member) }))
    .filter(({ text }) => text !== '');
};

/** Items without a title are left out; the text is the first of the members that is there. */
const toItems = (value: unknown, title: string, texts: readonly string[]): DraftItem[] =>
  asList(value)
    .map((item) => {
      const members = asObject(item);
      const found = texts.map((name) => asText(members[name])).find((text) => text !== '');
      return { title: asText(members[title]), text: found ?? '' };
    })
    .filter((item) => item.title !== '');
