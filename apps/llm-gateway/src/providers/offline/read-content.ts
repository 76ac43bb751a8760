import { isRecord } from './is-record.ts';

/** Kinds of content that words cannot be read from. */
export type Unseen = 'image' | 'recording' | 'file';

/** The words of a message, and what was beside them that could not be read. */
export type Content = { readonly text: string; readonly unseen: readonly Unseen[] };

/**
 * Reads a message's `content` of any shape: a string, a list of parts (texts joined by line
 * breaks, everything else counted as unseen), a number or truth value as it is written. A lone
 * object is no content of this dialect and reads as nothing.
 */
export function readContent(content: unknown): Content {
  if (typeof content === 'string') return { text: content, unseen: [] };
  if (typeof content === 'number' || typeof content === 'boolean') {
    return { text: String(content), unseen: [] };
  }
  if (!Array.isArray(content)) return { text: '', unseen: [] };
  const texts: string[] = [];
  const unseen: Unseen[] = [];
  for (const part of content) {
    const text = typeof part === 'string' ? part : isRecord(part) ? part['text'] : undefined;
    if (typeof text === 'string') texts.push(text);
    else if (isRecord(part)) unseen.push(kindOf(part['type']));
  }
  return { text: texts.join('\n'), unseen };
}

function kindOf(type: unknown): Unseen {
  if (typeof type !== 'string') return 'file';
  if (type.includes('image')) return 'image';
  return type.includes('audio') ? 'recording' : 'file';
}
