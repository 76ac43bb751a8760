import { escapeBlockMarkers } from './escape-block-markers.ts';
import { headingOf, renderData, sortByPriority, type PromptItem } from './prompt-item.ts';

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
