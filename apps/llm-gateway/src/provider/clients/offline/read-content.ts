import { isRecord } from './is-record.ts';

export type Unreadable = 'image' | 'recording' | 'file';

export type Content = { readonly text: string; readonly unreadable: readonly Unreadable[] };

/**
 * Reads a message's `content` of any shape: a string, a number or boolean as text, or a list of
 * parts, whose texts are joined by line breaks and whose other parts count as unreadable. A single
 * object is not valid content and has no text.
 */
export function readContent(content: unknown): Content {
  if (typeof content === 'string') return { text: content, unreadable: [] };
  if (typeof content === 'number' || typeof content === 'boolean') {
    return { text: String(content), unreadable: [] };
  }
  if (!Array.isArray(content)) return { text: '', unreadable: [] };
  const texts: string[] = [];
  const unreadable: Unreadable[] = [];
  for (const part of content) {
    const text = typeof part === 'string' ? part : isRecord(part) ? part['text'] : undefined;
    if (typeof text === 'string') texts.push(text);
    else if (isRecord(part)) unreadable.push(kindOf(part['type']));
  }
  return { text: texts.join('\n'), unreadable };
}

function kindOf(type: unknown): Unreadable {
  if (typeof type !== 'string') return 'file';
  if (type.includes('image')) return 'image';
  return type.includes('audio') ? 'recording' : 'file';
}
