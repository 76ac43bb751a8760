import { escapeBlockMarkers } from './escape-block-markers.ts';
import { toOneLine } from './to-one-line.ts';

export type Priority = 'high' | 'medium' | 'low';

/** Data for the model in addition to the message (`context` and `supplementary` of the API). */
export type PromptItem = {
  category: string;
  data: string | object;
  label?: string;
  priority?: Priority;
};

const RANK: Readonly<Record<Priority, number>> = { high: 0, medium: 1, low: 2 };

export const sortByPriority = <Item extends { priority?: Priority }>(
  items: readonly Item[],
): Item[] =>
  items.toSorted((one, other) => RANK[one.priority ?? 'medium'] - RANK[other.priority ?? 'medium']);

export const headingOf = ({ label = '', category }: PromptItem): string =>
  toOneLine(label.trim() === '' ? category : label);

export const renderData = ({ data }: PromptItem): string =>
  escapeBlockMarkers(typeof data === 'string' ? data : JSON.stringify(data, null, 2));
