import { defuseMarkers } from './defuse-markers.ts';
import { toOneLine } from './to-one-line.ts';

export type Priority = 'high' | 'medium' | 'low';

/** Data for the model beside the message (Seed 2.2 `context`, 2.6 `supplementary`). */
export type PromptItem = {
  category: string;
  /** Objects and lists are shown as JSON, texts as they are. */
  data: string | object;
  label?: string;
  /** Absent: medium. */
  priority?: Priority;
};

const RANK: Readonly<Record<Priority, number>> = { high: 0, medium: 1, low: 2 };

/** The items, high ones first and low ones last; within a priority as they came. */
export const sortByPriority = <Item extends { priority?: Priority }>(
  items: readonly Item[],
): Item[] =>
  items.toSorted((one, other) => RANK[one.priority ?? 'medium'] - RANK[other.priority ?? 'medium']);

/** The label, or the category when there is none, on one line. */
export const headingOf = ({ label = '', category }: PromptItem): string =>
  toOneLine(label.trim() === '' ? category : label);

/** The data as the model sees it. */
export const renderData = ({ data }: PromptItem): string =>
  defuseMarkers(typeof data === 'string' ? data : JSON.stringify(data, null, 2));
