/**
 * What a frame of a chat-completions stream is: its end, an error, the trailing usage chunk,
 * content for the client, or a lifecycle frame (role, empty delta, comment).
 */
export type ChunkKind = 'done' | 'error' | 'usage' | 'content' | 'lifecycle';

/** Says what a frame is; `chunk` is its parsed data when that is an object. */
export const readChunk = (
  data: string | undefined,
): { kind: ChunkKind; chunk?: Record<string, unknown> } => {
  if (data === undefined) return { kind: 'lifecycle' };
  if (data.trim() === '[DONE]') return { kind: 'done' };
  const chunk = parseObject(data);
  // Not an object: unknown to us, so the client's to judge.
  if (!chunk) return { kind: 'content' };
  return { kind: kindOf(chunk), chunk };
};

const kindOf = (chunk: Record<string, unknown>): ChunkKind => {
  if (chunk.error !== undefined && chunk.error !== null) return 'error';
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  if (choices.length === 0) return chunk.usage ? 'usage' : 'lifecycle';
  return choices.some(hasContent) ? 'content' : 'lifecycle';
};

/** Anything but a role, or a finish reason, is worth opening the answer for. */
const hasContent = (choice: unknown): boolean => {
  if (typeof choice !== 'object' || choice === null) return false;
  const { delta, finish_reason: finish } = choice as { delta?: unknown; finish_reason?: unknown };
  if (finish !== undefined && finish !== null) return true;
  if (typeof delta !== 'object' || delta === null) return false;
  return Object.entries(delta).some(
    ([key, value]) => key !== 'role' && value !== null && value !== '' && !isEmptyList(value),
  );
};

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const parseObject = (data: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // A frame that is not JSON is passed on as it came.
    return undefined;
  }
};
