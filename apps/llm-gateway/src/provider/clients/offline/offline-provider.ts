import type { Provider } from '../../provider.ts';
import { answerOffline, OFFLINE_MODEL } from './answer-offline.ts';
import { streamOffline } from './stream-offline.ts';

/**
 * Creates the provider that responds in this process, without a model: see README.md in this
 * folder.
 */
export const createOfflineProvider = (): Provider => ({
  name: 'offline',
  dialect: 'chat-completions',
  complete: async ({ body, signal }) => {
    const request = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
    const answer = answerOffline(request);
    if (request.stream !== true) {
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: once(Buffer.from(JSON.stringify(answer))),
      };
    }
    const chunks = streamOffline(answer, { includeUsage: true });
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: toFrames(chunks, signal),
    };
  },
  listModels: async () => [OFFLINE_MODEL],
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* toFrames(
  chunks: Iterable<object>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    signal.throwIfAborted();
    yield Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  yield Buffer.from('data: [DONE]\n\n');
}
