import { defuseMarkers } from './defuse-markers.ts';
import { toOneLine } from './to-one-line.ts';

export type Priority = 'high' | 'medium' | 'low';

/** Data for the model besides the message (`context` and `supplementary` of the API). */
export type PromptItem = {
  category: string;
  /** Objects and lists are rendered as JSON, texts unchanged. */
  data: string | object;
  label?: string;
  /** Absent: medium. */
  priority?: Priority;
};

const RANK: Readonly<Record<Priority, number>> = { high: 0, medium: 1, low: 2 };

/** Sorts high priority first; stable. */
export const sortByPriority = <Item extends { priority?: Priority }>(
  items: readonly Item[],
): Item[] =>
  items.toSorted((one, other) => RANK[one.priority ?? 'medium'] - RANK[other.priority ?? 'medium']);

/** The label, else the category, on one line. */
export const headingOf = ({ label = '', category }: PromptItem): string =>
  toOneLine(label.trim() === '' ? category : label);

export const renderData = ({ data }: PromptItem): string =>
  defuseMarkers(typeof data === 'string' ? data : JSON.stringify(data, null, 2));
