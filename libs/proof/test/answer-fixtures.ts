import { ANSWERS } from '../vectors/answers.ts';
import { EMBEDDINGS } from '../vectors/embeddings.ts';
import { examplePayload } from '../vectors/samples.ts';
import { commitAnswer } from '../src/answer.ts';
import type { CertificatePayload } from '../src/certificate.ts';
import { commitEmbeddings } from '../src/embedding-answer.ts';
import { readSavedAnswer } from '../src/saved-answer.ts';

/** A frame of a stream; `value` is undefined for `[DONE]`. */
export type Frame = { event?: string; value?: unknown };

/** A saved answer as what it consists of: a body, or the frames of a stream. */
export type Fixture = { name: string; kind: string; frames?: Frame[]; body?: unknown };

export const writeFrame = ({ event, value }: Frame): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${value === undefined ? '[DONE]' : JSON.stringify(value)}\n\n`;

export const toText = ({ frames, body }: Fixture): string =>
  frames === undefined ? JSON.stringify(body) : frames.map(writeFrame).join('');

export const toBytes = (fixture: Fixture): Uint8Array => new TextEncoder().encode(toText(fixture));

/** Returns the content of the certificate of a call with this answer. */
export function payloadOf(fixture: Fixture): CertificatePayload {
  const saved = readSavedAnswer(toBytes(fixture));
  const payload = examplePayload();
  const { vectors, choices, usage, models } = saved;
  const isWhole = saved.streamEnd === undefined || saved.streamEnd === 'last';
  const { promptTokens = 13, completionTokens = 4 } = usage ?? {};
  const totalTokens = usage?.totalTokens ?? promptTokens + completionTokens;
  return {
    ...payload,
    egress: { ...payload.egress, model: models[0] ?? payload.egress.model },
    response: {
      sha256: vectors ? commitEmbeddings(vectors) : commitAnswer(choices),
      finishReason: isWhole ? (saved.finishReason ?? 'stop') : 'lost',
      usage: { promptTokens, completionTokens, totalTokens },
    },
  };
}

const DONE: Frame = {};
const named = (event: unknown): Frame => ({
  event: (event as { type: string }).type,
  value: event,
});

const fromVectors: Fixture[] = ANSWERS.flatMap(({ name, dialect, body, chunks }) => {
  const kind = dialect ?? 'chat-completions';
  const frames = dialect ? chunks.map(named) : chunks.map((value): Frame => ({ value }));
  if (dialect !== 'messages') frames.push(DONE);
  const streamed = chunks.length === 0 ? [] : [{ name: `${name}, streamed`, kind, frames }];
  return [{ name, kind, body }, ...streamed];
});

const TEXT = [{ type: 'text', text: 'Hi Zoë' }];
const RESULT = { resultType: 'complete', content: TEXT, structuredContent: { content: 'Hi Zoë' } };
const rpc = (members: object) => ({ jsonrpc: '2.0', ...members });
const PROGRESS = rpc({ method: 'notifications/progress', params: { progress: 1 } });
const mcp = (name: string, value: unknown): Fixture => ({ name, kind: 'mcp', body: value });

export const FIXTURES: Fixture[] = [
  ...fromVectors,
  ...EMBEDDINGS.map(({ name, body }) => ({ name, kind: 'embeddings', body })),
  { name: 'a chat', kind: 'native', body: { content: 'Hi Zoë', agent: 'a', usage: { n: 1 } } },
  {
    name: 'a chat, streamed',
    kind: 'native',
    frames: [
      { event: 'tool', value: { id: 't', result: { n: 1 } } },
      { event: 'delta', value: { content: 'Hi ' } },
      { event: 'delta', value: { content: 'Zoë' } },
      { event: 'done', value: { content: 'Hi Zoë', proofs: ['pf_1'] } },
    ],
  },
  mcp('a result', RESULT),
  mcp('a failed result', { isError: true, content: TEXT }),
  mcp('a result in its response', rpc({ id: 1, result: RESULT })),
  mcp('the result of a task', rpc({ id: 1, result: { taskId: 't', result: RESULT } })),
  mcp('a synthesis', { ...RESULT, structuredContent: { synthesis: { content: 'Hi Zoë' }, n: 1 } }),
  {
    name: 'a result, streamed',
    kind: 'mcp',
    frames: [{ value: PROGRESS }, { event: 'message', value: rpc({ id: 1, result: RESULT }) }],
  },
];
