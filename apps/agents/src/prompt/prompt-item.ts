import { escapeBlockMarkers, toOneLine } from './to-one-line.ts';

export type Priority = 'high' | 'medium' | 'low';

/** Data for the model in addition to the message (`context` and `supplementary` of the API). */
export type PromptItem = {
  category: string;
  data: string | object;
  label?: string;
  priority?: Priority;
};

const RANK: Readonly<Record<Priority, number>> = { high: 0, medium: 1, low: 2 };

const sortByPriority = <Item extends { priority?: Priority }>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => RANK[one.priority ?? 'medium'] - RANK[other.priority ?? 'medium']);

const headingOf = ({ label = '', category }: PromptItem): string =>
  toOneLine(label.trim() === '' ? category : label);

const renderData = ({ data }: PromptItem): string =>
  escapeBlockMarkers(typeof data === 'string' ? data : JSON.stringify(data, null, 2));

export type ContextBlock = { heading: string; priority: Priority; text: string };

export const renderContext = (items: readonly PromptItem[]): ContextBlock[] =>
  sortByPriority(items).map((item) => {
    const heading = escapeBlockMarkers(headingOf(item));
    const priority = item.priority ?? 'medium';
    const mark = priority === 'high' ? ' (high priority)' : '';
    const opening = `--- CONTEXT: ${heading}${mark} ---`;
    return { heading, priority, text: `${opening}\n${renderData(item)}\n--- END CONTEXT ---` };
  });

export const renderSupplementary = (items: readonly PromptItem[]): string => {
  if (items.length === 0) return '';
  const body = sortByPriority(items).map(renderItem).join('\n\n');
  return `--- SUPPLEMENTARY CONTEXT ---\n${body}\n--- END SUPPLEMENTARY CONTEXT ---`;
};

const renderItem = (item: PromptItem): string => {
  // The heading is escaped after upper-casing, which can turn other letters into those of a block
  // delimiter.
  const heading = escapeBlockMarkers(headingOf(item).toUpperCase());
  return `[${heading}]${item.priority === 'high' ? ' (high priority)' : ''}\n${renderData(item)}`;
};

export type Persona = {
  systemPrompt: string;
  role?: string;
  personality?: string;
  mission?: string;
  decisionStyle?: string;
};

export const renderPersona = (persona: Persona): string => {
  const fields = [
    ['Role', persona.role],
    ['Personality', persona.personality],
    ['Mission', persona.mission],
    ['Decision style', persona.decisionStyle],
  ] as const;
  const lines = fields.flatMap(([name, value = '']) =>
    value.trim() === '' ? [] : [`${name}: ${value.trim()}`],
  );
  return [persona.systemPrompt.trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n');
};
