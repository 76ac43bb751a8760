import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@witan/dialects';
import { countTurns } from '@witan/testing';
import { toCompaction } from '../../stored-response/compaction.ts';
import { expandRequest } from './expand-request.ts';
import { EXPANDED_BYTES_MAX } from '../../stored-response/stored-response.ts';
import type { StoredResponse } from '../../stored-response/stored-response.ts';

const [FIRST, SECOND] = ['resp_0123456789abcdefghijAB', 'resp_0123456789abcdefghijCD'] as const;
const user = (content: string): JsonObject => ({ type: 'message', role: 'user', content });
const message = (id: string, text: string): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const OSLO = message('msg_0123456789abcdefghijAB_0', 'Oslo.');
const BERGEN = message('msg_0123456789abcdefghijCD_0', 'Bergen.');
const CHAIN: StoredResponse[] = [
  {
    id: FIRST,
    previousId: '',
    input: [user('Capital?')],
    isLocal: false,
    modules: ['agents'],
    proofId: '',
    response: { output: [OSLO] },
  },
  {
    id: SECOND,
    previousId: FIRST,
    input: [user('Second?')],
    isLocal: false,
    modules: ['knowledge'],
    proofId: '',
    response: { output: [BERGEN] },
  },
];

const store = {
  find: async (workspaceId: string, id: string) =>
    workspaceId === 'ws_a' ? CHAIN.find((stored) => stored.id === id) : undefined,
  findChain: async (workspaceId: string, id: string) =>
    workspaceId === 'ws_a' && id === SECOND ? CHAIN : undefined,
};

const CALLER = { workspaceId: 'ws_a', scopes: ['gateway', 'agents:read', 'knowledge'] };

const expand = (source: string, caller: Partial<typeof CALLER> = {}) => {
  const body = JSON.parse(source) as JsonObject;
  return expandRequest({ body, source: Buffer.from(source) }, { ...CALLER, ...caller }, store);
};
const failureOf = async (source: string, caller?: Partial<typeof CALLER>): Promise<unknown> =>
  await expand(source, caller).then(
    () => undefined,
    ({ reason, fields }: { reason: string; fields: object }) => ({ reason, ...fields }),
  );

describe('a request that refers to stored responses', () => {
  it('gets the items of all responses before its own, and keeps its other bytes', async () => {
    const source = `{"model":"m", "previous_response_id":"${SECOND}","input":"And now?","temperature":1.0}`;
    const { body, source: expanded, origin } = await expand(source);
    const items = [user('Capital?'), OSLO, user('Second?'), BERGEN, user('And now?')];
    expect(body).toEqual({ model: 'm', input: items, temperature: 1 });
    const text = Buffer.from(expanded).toString();
    expect(JSON.parse(text)).toEqual(body);
    expect(text).toContain('"temperature":1.0');
    expect(origin).toEqual({
      previousId: SECOND,
      input: [user('And now?')],
      isLocal: false,
      modules: ['agents', 'knowledge'],
    });
  });

  it('lets other calls run between the steps of a long conversation', async () => {
    const long = user('x'.repeat(600_000));
    const chain = CHAIN.map((stored) => ({ ...stored, input: [long, long] }));
    const longStore = { ...store, findChain: async () => chain };
    const body = { model: 'm', previous_response_id: SECOND, input: 'And now?' };
    const source = Buffer.from(JSON.stringify(body));
    const { turns } = await countTurns(expandRequest({ body, source }, CALLER, longStore));
    // After each of four items, and after each of two steps of the whole text.
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it('gets the item in place of its reference', async () => {
    const reference = { type: 'item_reference', id: BERGEN.id };
    const source = JSON.stringify({ input: [user('a'), reference, user('b')] });
    const { body, source: expanded, origin } = await expand(source);
    expect(body.input).toEqual([user('a'), BERGEN, user('b')]);
    expect(JSON.parse(Buffer.from(expanded).toString())).toEqual(body);
    const referenced = { isLocal: false, modules: ['knowledge'] };
    expect(origin).toEqual({ previousId: '', input: body.input, ...referenced });
  });

  it('gets the summary in place of a compaction, which only the gateway can write', async () => {
    const own = toCompaction('0123456789abcdefghijAB', 'They ask about Norway.');
    const foreign = { type: 'compaction', encrypted_content: 'Z0FBQUFB' };
    const source = JSON.stringify({ input: [user('a'), own, foreign, user('b')] });
    const { body } = await expand(source);
    const text = expect.stringMatching(/^Summary of [^]+\n\nThey ask about Norway\.$/);
    const content = [{ type: 'input_text', text }];
    const summary = { type: 'message', role: 'user', content };
    expect(body.input).toEqual([user('a'), summary, foreign, user('b')]);
  });

  it.each([
    ['a text', '{"model":"m","input":"hi", "x":1.0}'],
    ['items', '{"input":[{"role":"user","content":"hi"}]}'],
    ['no input', '{"model":"m"}'],
    ['input of another type', '{"input":5}'],
    [
      'references of a provider',
      '{"previous_response_id":"resp_68f0c1e5b1d48190a2b7c9e6","input":[{"type":"item_reference","id":"msg_68f0"}]}',
    ],
  ])('is unchanged with %s', async (_name, source) => {
    const { body, source: expanded } = await expand(source);
    expect(Buffer.from(expanded).toString()).toBe(source);
    expect(body).toEqual(JSON.parse(source));
  });

  it('is not found if the response is not stored in its workspace', async () => {
    const notFound = { reason: 'NOT_FOUND', param: 'previous_response_id' };
    const code = 'previous_response_not_found';
    const continued = (id: string) => `{"previous_response_id":"${id}","input":"x"}`;
    expect(await failureOf(continued(SECOND), { workspaceId: 'ws_b' })).toEqual({
      ...notFound,
      code,
    });
    expect(await failureOf(continued(FIRST.replace('AB', 'ZZ')))).toEqual({ ...notFound, code });
    const reference = { type: 'item_reference', id: BERGEN.id };
    const source = JSON.stringify({ input: [reference] });
    expect(await failureOf(source, { workspaceId: 'ws_b' })).toEqual({
      reason: 'NOT_FOUND',
      param: 'input[0].id',
      code: 'item_not_found',
    });
  });

  it.each([
    ['agents', ['gateway', 'knowledge'], `{"previous_response_id":"${SECOND}","input":"x"}`],
    ['knowledge', ['gateway', 'agents'], `{"previous_response_id":"${SECOND}","input":"x"}`],
    ['knowledge', ['gateway'], `{"input":[{"type":"item_reference","id":"${String(BERGEN.id)}"}]}`],
  ])(
    'is refused without the scope %s of what it continues, with %j',
    async (param, scopes, text) => {
      expect(await failureOf(text, { scopes })).toEqual({ reason: 'INSUFFICIENT_SCOPE', param });
    },
  );

  it('remembers the modules of its own address', async () => {
    const { origin } = await expand('{"model":"agent:ann+knowledge","input":"x"}');
    expect(origin.modules).toEqual(['agents', 'knowledge']);
  });

  it('refers to items of at most 100 responses', async () => {
    const toResponseId = (index: number): string => `resp_${String(index).padStart(22, '0')}`;
    const read: string[] = [];
    const find = async (_workspaceId: string, id: string): Promise<StoredResponse> => {
      read.push(id);
      const output = [message(`${id.replace('resp', 'msg')}_0`, 'Oslo.')];
      return { ...CHAIN[0]!, id, modules: [], response: { output } };
    };
    const input = Array.from({ length: 101 }, (_, index) => ({
      type: 'item_reference',
      id: `${toResponseId(index).replace('resp', 'msg')}_0`,
    }));
    const call = { body: { input }, source: Buffer.from(JSON.stringify({ input })) };
    await expect(expandRequest(call, CALLER, { ...store, find })).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'input[100].id' },
    });
    expect(read).toHaveLength(100);
  });

  it('reads no further response when the referenced items are too large', async () => {
    const text = 'x'.repeat(EXPANDED_BYTES_MAX / 2);
    const read: string[] = [];
    const find = async (_workspaceId: string, id: string): Promise<StoredResponse> => {
      read.push(id);
      const output = [message(`${id.replace('resp', 'msg')}_0`, text)];
      return { ...CHAIN[0]!, id, modules: [], response: { output } };
    };
    const input = ['a', 'b', 'c', 'd'].map((letter) => ({
      type: 'item_reference',
      id: `msg_${letter.repeat(22)}_0`,
    }));
    const call = { body: { input }, source: Buffer.from(JSON.stringify({ input })) };
    await expect(expandRequest(call, CALLER, { ...store, find })).rejects.toMatchObject({
      reason: 'REQUEST_TOO_LARGE',
    });
    expect(read).toHaveLength(2);
  });

  it.each([
    ['queued', 'CONFLICT', 'response_in_progress'],
    ['failed', 'INVALID_REQUEST', 'previous_response_failed'],
  ])('is refused if the response is %s', async (status, reason, code) => {
    const findChain = async () => [{ ...CHAIN[0]!, response: { status, output: [] } }];
    const body = { previous_response_id: FIRST, input: 'x' };
    const call = { body, source: Buffer.from(JSON.stringify(body)) };
    await expect(expandRequest(call, CALLER, { ...store, findChain })).rejects.toMatchObject({
      reason,
      fields: { param: 'previous_response_id', code },
    });
  });
});
