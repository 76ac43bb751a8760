import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePublicKeys, verifyCertificate, verifyRequest, verifyResponse } from '@witan/proof';
import { answerResponseWith, answerWith, streamFrames, toResponseEvents } from '@witan/testing';
import { createRandom } from '@witan/testing/create-random';
import type { Random } from '@witan/testing/create-random';
import { parseTranscript } from './conformance/parse-transcript.ts';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAMS = 120;
const BODIES = 200;

const EVENTS = toResponseEvents({
  model: 'gpt-5',
  text: ['Nine ', 'months ', 'of ', 'cash.'],
  calls: [{ id: 'call_1', name: 'look', arguments: '{"at":"cash"}' }],
});
const FRAMES = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const UNKNOWN = 'event: response.dreamt\ndata: {"type":"response.dreamt","sequence_number":3}\n\n';

type Change = (frames: readonly string[], at: number, random: Random) => string[];

/** Ways in which a provider's stream can deviate from its dialect. */
const CHANGES: readonly [name: string, change: Change][] = [
  ['ends early', (frames, at) => frames.slice(0, at)],
  [
    'ends within a frame',
    (frames, at, random) => [
      ...frames.slice(0, at),
      frames[at]!.slice(0, random.integer(1, frames[at]!.length - 3)),
    ],
  ],
  ['lacks a frame', (frames, at) => frames.toSpliced(at, 1)],
  ['repeats a frame', (frames, at) => frames.toSpliced(at, 0, frames[at]!)],
  [
    'has two frames in the other order',
    (frames, at) => {
      const [moved] = frames.slice(at, at + 1);
      return frames.toSpliced(at, 1).toSpliced(Math.max(0, at - 1), 0, moved!);
    },
  ],
  ['has an unknown event', (frames, at) => frames.toSpliced(at, 0, UNKNOWN)],
  ['has a frame that is not JSON', (frames, at) => frames.toSpliced(at, 0, 'data: {"type":\n\n')],
  ['has a comment', (frames, at) => frames.toSpliced(at, 0, ': ping\n\n')],
];

const BODY = {
  model: 'gpt-5',
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'How long?' }] },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Nine months.' },
  ],
  tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }],
  tool_choice: 'auto',
  text: { format: { type: 'text' } },
  reasoning: { effort: 'low' },
  max_output_tokens: 100,
  store: false,
};
const VALUES: readonly unknown[] = [null, 0, -1, 1e300, '', 'x', '\u0000', true, [], {}, [[]]];

const pick = <T>(values: readonly T[], random: Random): T =>
  values[random.integer(0, values.length - 1)]!;

/** Replaces the value at a random path of a JSON value, or removes it. */
const mutate = (value: unknown, random: Random): unknown => {
  const isList = Array.isArray(value);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || random.next() < 0.2) return pick(VALUES, random);
  const key = pick(keys, random);
  const inner = (value as Record<string, unknown>)[key];
  if (random.next() < 0.1) {
    return isList
      ? value.toSpliced(Number(key), 1)
      : Object.fromEntries(Object.entries(value as object).filter(([name]) => name !== key));
  }
  const changed = mutate(inner, random);
  return isList ? value.with(Number(key), changed) : { ...(value as object), [key]: changed };
};

/** A provider that speaks the dialect, and one to which calls are converted. */
const PROVIDERS = [
  ['in its own dialect', 'chat-completions,responses', answerResponseWith({ text: ['Nine.'] })],
  ['converted', 'chat-completions', answerWith({ content: 'Nine.' })],
] as const;

describe.each(PROVIDERS)('a provider %s', (kind, dialects, fallback) => {
  let fixture: Fixture;
  let keys: ReturnType<typeof parsePublicKeys>;
  beforeAll(async () => {
    fixture = await openFixture({ env: { OPENAI_DIALECTS: dialects }, fallback });
    keys = parsePublicKeys((await fixture.client.send('/v1/gateway/public-key')).text);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const readCertificate = async (answer: Answer) => {
    const id = answer.headers.get('x-service-proof');
    if (id === null) return undefined;
    const certificate = await fixture.client.send(`/v1/proofs/${id}`);
    return verifyCertificate(certificate.text, keys).payload;
  };

  /** Returns what is wrong with the answer to an odd body; undefined for nothing. */
  const judgeBody = async (source: string): Promise<string | undefined> => {
    const answer = await fixture.client.send('/v1/responses', { method: 'POST', body: source });
    const payload = await readCertificate(answer);
    if (answer.status === 200) {
      if (payload?.response.finishReason !== 'stop') return 'has no certificate of a whole answer';
      verifyRequest(payload, source);
      verifyResponse(payload, Buffer.from(answer.text));
      return undefined;
    }
    if (answer.status < 400 || answer.status > 499) return `has the status ${answer.status}`;
    const { error } = answer.json as { error: { message: string } };
    return /\w.*[.?]$/.test(error.message) ? undefined : `is refused with "${error.message}"`;
  };

  /** Returns what is wrong with the answer that a stream of the provider leads to. */
  const judgeStream = async (frames: readonly string[]): Promise<string | undefined> => {
    const body = JSON.stringify({ ...BODY, stream: true });
    fixture.provider.script(streamFrames(frames, { sendDone: false }));
    const answer = await fixture.client.send('/v1/responses', { method: 'POST', body });
    const payload = await readCertificate(answer);
    if (!payload) return 'has no certificate';
    const { finishReason } = payload.response;
    if (answer.status !== 200) {
      const isFailed = answer.status === 502 && finishReason === 'error';
      return isFailed ? undefined : `${answer.status} is certified as ${finishReason}`;
    }
    if (!answer.text.endsWith('data: [DONE]\n\n')) return 'ends without [DONE]';
    const types = parseTranscript(answer.text).frames.map(({ value }) => value?.['type']);
    const isComplete = types.includes('response.completed');
    if (isComplete === (finishReason === 'error')) return `is certified as ${finishReason}`;
    verifyResponse(payload, Buffer.from(answer.text));
    return isComplete || types.at(-2) === 'response.failed' ? undefined : 'does not end as failed';
  };

  it('gets odd bodies, or the client gets a 4xx that says why', async () => {
    const random = createRandom(25);
    const found: [source: string, problem: string][] = [];
    for (let count = 0; count < BODIES; count += 1) {
      const source = JSON.stringify(mutate(BODY, random));
      const problem = await judgeBody(source);
      if (problem !== undefined) found.push([source, problem]);
    }
    expect(found).toEqual([]);
  });

  if (kind === 'converted') return;

  it.each(CHANGES)('whose stream %s: the end and the certificate agree', async (name, change) => {
    const random = createRandom(name.length);
    const found: [stream: string, problem: string][] = [];
    for (let count = 0; count < STREAMS / CHANGES.length; count += 1) {
      const frames = change(FRAMES, random.integer(0, FRAMES.length - 1), random);
      const problem = await judgeStream(frames);
      if (problem !== undefined) found.push([frames.join(''), problem]);
    }
    expect(found).toEqual([]);
  });
});
