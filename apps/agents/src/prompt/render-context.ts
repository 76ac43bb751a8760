import { escapeBlockMarkers } from './escape-block-markers.ts';
import { headingOf, renderData, sortByPriority } from './prompt-item.ts';
import type { Priority, PromptItem } from './prompt-item.ts';

export type ContextBlock = { heading: string; priority: Priority; text: string };

export const renderContext = (items: readonly PromptItem[]): ContextBlock[] =>
  sortByPriority(items).map((item) => {
    const heading = escapeBlockMarkers(headingOf(item));
    const priority = item.priority ?? 'medium';
    const mark = priority === 'high' ? ' (high priority)' : '';
    const opening = `--- CONTEXT: ${heading}${mark} ---`;
    return { heading, priority, text: `${opening}\n${renderData(item)}\n--- END CONTEXT ---` };
  });
