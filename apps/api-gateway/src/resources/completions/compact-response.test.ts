import { describe, expect, it } from '@jest/globals';
import type { AnswerPiece, AnswerSink, CompletionCall } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';
import { compactResponseRoute } from './compact-response.ts';

const storing = { find: async () => undefined, findChain: async () => undefined };

/** Compacts a conversation with a model that answers with `pieces`. */
const compact = async (body: object, ...pieces: object[]) => {
  const sent: CompletionCall[] = [];
  const complete = async (call: CompletionCall, _options: object, sink: AnswerSink) => {
    sent.push(call);
    sink.opened(OPENED);
    for (const piece of pieces) void sink.piece(piece as AnswerPiece);
    return { finishReason: 'stop', usage: {} };
  };
  const json: object[] = [];
  const response = {
    ...{ locals: {}, status: () => {}, setHeader: () => {}, end: () => {} },
    json: (value: object) => void json.push(value),
  };
  const call = {
    ...{ body, response, source: Buffer.from(JSON.stringify(body)), requestId: 'req_1' },
    principal: { workspaceId: 'ws_a', keyId: 'key_1', scopes: ['gateway'] },
    signal: new AbortController().signal,
    request: { headers: {}, originalUrl: '/v1/responses/compact' },
  } as unknown as RouteCall;
  const services = { complete, turns: {}, knowledge: {} };
  const options = { timeoutMs: 1_000, storing };
  await compactResponseRoute(services as never, options as never).handle(call);
  return { sent: sent[0]!, answer: json[0]! };
};
const OPENED = {
  ...{ status: 200, neutral: true, proofId: 'pf_1', headers: {}, droppedParams: [] },
  ...{ model: 'gpt-5', provider: 'openai', providerMs: 0, promptTokensEstimate: 0 },
  streamed: false,
};
const SUMMARY = { case: 'text', value: 'They ask about Oslo.' };
const BODY = { model: 'gpt-5', input: 'What about Oslo?' };

describe('a compaction', () => {
  it('is made from the conversation and instructions only', async () => {
    const others = { tools: [{ type: 'web_search' }], tool_choice: 'required', text: { a: 1 } };
    const { sent, answer } = await compact(
      { ...BODY, ...others, instructions: 'Be Ada.' },
      SUMMARY,
    );
    expect(sent.input).toMatchObject({ value: { system: [{ text: 'Be Ada.' }] } });
    expect(JSON.stringify(sent.input)).not.toMatch(/web_search|required/);
    expect(answer).toMatchObject({ output: [{ role: 'user' }, { type: 'compaction' }] });
  });

  it.each([
    ['a refusal', [SUMMARY, { case: 'refusal', value: 'I cannot.' }]],
    ['white space', [{ case: 'text', value: ' \n' }]],
    ['nothing', []],
  ])('is an error if the model answers with %s', async (_name, pieces) => {
    await expect(compact(BODY, ...pieces)).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
    });
  });
});
