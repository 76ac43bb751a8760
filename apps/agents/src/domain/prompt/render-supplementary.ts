import { defuseMarkers } from './defuse-markers.ts';
import { headingOf, renderData, sortByPriority, type PromptItem } from './prompt-item.ts';

/**
 * Renders the block of supplementary items, exactly as the API specifies: high priority first, one
 * blank line between items. Empty without items.
 */
export const renderSupplementary = (items: readonly PromptItem[]): string => {
  if (items.length === 0) return '';
  const body = sortByPriority(items).map(renderItem).join('\n\n');
  return `--- SUPPLEMENTARY CONTEXT ---\n${body}\n--- END SUPPLEMENTARY CONTEXT ---`;
};

const renderItem = (item: PromptItem): string => {
  // Before neutralizing: upper-casing can turn other letters into those of a marker.
  const heading = defuseMarkers(headingOf(item).toUpperCase());
  return `[${heading}]${item.priority === 'high' ? ' (high priority)' : ''}\n${renderData(item)}`;
};
