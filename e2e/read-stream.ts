import type { MessageEvent } from '@witan/testing';

/** The content of a streamed answer; `end` is its finish reason as named in the dialect. */
export type StreamContent = { text: string; calls: [name: string, json: string][]; end: string };

type Delta = { text?: string; partial_json?: string; stop_reason?: string };

/** Returns the content of a message stream, read as a minimal client would. */
export const readMessage = (events: readonly MessageEvent[]): StreamContent => {
  const read: StreamContent = { text: '', calls: [], end: '' };
  for (const event of events) {
    const block = (event['content_block'] ?? {}) as { type?: string; name?: string };
    if (block.type === 'tool_use') read.calls.push([block.name!, '']);
    const delta = (event['delta'] ?? {}) as Delta;
    read.text += delta.text ?? '';
    if (delta.partial_json) read.calls.at(-1)![1] += delta.partial_json;
    read.end = delta.stop_reason ?? read.end;
  }
  return read;
};

type Piece = { index: number; function: { name?: string; arguments?: string } };

export type Chunk = {
  choices: { delta: { content?: string; tool_calls?: Piece[] }; finish_reason: string | null }[];
};

/** Returns the content of a chat-completions stream, read as a minimal client would. */
export const readChunks = (chunks: readonly Chunk[]): StreamContent => {
  const read: StreamContent = { text: '', calls: [], end: '' };
  for (const { delta, finish_reason } of chunks.flatMap(({ choices }) => choices)) {
    read.text += delta.content ?? '';
    for (const { index, function: called } of delta.tool_calls ?? []) {
      if (called.name) read.calls[index] = [called.name, ''];
      read.calls[index]![1] += called.arguments ?? '';
    }
    read.end = finish_reason ?? read.end;
  }
  return read;
};
