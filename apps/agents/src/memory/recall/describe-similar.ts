import { escapeBlockMarkers } from '../../prompt/escape-block-markers.ts';
import { toOneLine } from '../../prompt/to-one-line.ts';
import { escapeMemoryTags } from '../tags/escape-memory-tags.ts';
import type { SimilarMemories } from './find-similar-memories.ts';

export const describeSimilar = (pairs: readonly SimilarMemories[]): string =>
  pairs.length === 0
    ? ''
    : [
        'You may have noted the same thing under two keys; if so, write it under one of them:',
        ...pairs.map(
          ({ memory, similarTo }) => `- ${toData(memory.key)} is like ${toData(similarTo.key)}`,
        ),
      ].join('\n');

const toData = (key: string): string => escapeMemoryTags(escapeBlockMarkers(toOneLine(key))).trim();
