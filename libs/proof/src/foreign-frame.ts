import { looksLikeMcp } from './mcp-answer.ts';

export type Dialect = 'chat-completions' | 'messages' | 'responses';

type Members = Record<string, unknown>;

/** Contradictions of an answer, which refuse it: in words for its reader. */
export const FOREIGN_FRAME = 'a frame belongs to another kind of answer';

export const AMBIGUOUS_FRAME =
  'a frame has a CR without LF, or a byte order mark: clients read other lines';

export function differs(member: string): string {
  return `${member} is not what was received before`;
}

/**
 * Returns the contradiction of a member whose value is no text, because clients show it as one: 5
 * as `5`, and an object as `[object Object]`. Null is no text, too, but nothing is shown for it.
 */
export function findNoText(member: string, value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined || value === null) return undefined;
  return `${member} is not text`;
}

/** Returns the dialect whose clients read a frame as a part of an answer; undefined if none. */
export function dialectOfFrame({ choices, type }: Members): Dialect | undefined {
  if (Array.isArray(choices)) return 'chat-completions';
  if (typeof type !== 'string') return undefined;
  if (type.startsWith('response.')) return 'responses';
  return /^(?:message|content_block)_/.test(type) ? 'messages' : undefined;
}

/**
 * Returns whether a frame is, also or only, part of an answer of another kind than that of its
 * stream.
 */
export function isForeignFrame(dialect: Dialect, event: Members): boolean {
  if (looksLikeMcp(event)) return true;
  const isChunk = Array.isArray(event['choices']);
  if (isChunk && dialect !== 'chat-completions') return true;
  if (typeof event['type'] !== 'string') return false;
  const other = dialectOfFrame({ type: event['type'] });
  return other !== undefined && other !== dialect;
}
