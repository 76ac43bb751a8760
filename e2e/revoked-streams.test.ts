import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { answerMessageWith, answerWith, createGate, eventually, neverAnswer } from '@witan/testing';
import type { Gate, Script } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING, readAnswer } from './http-client.ts';
import { openLine, TRANSPORTS } from './open-line.ts';
import type { Line } from './open-line.ts';

const content = ['one', 'two', 'three'];
const chat = (gate: Gate): Script => answerWith({ content }, { gate });
const message = (gate: Gate): Script => answerMessageWith({ content }, { gate });

/** Path, body, provider script, and number of frames up to the first text. */
const STREAMS: [string, string, object, (gate: Gate) => Script, number][] = [
  ['chat completions', CHAT, PING, chat, 2],
  ['messages', MESSAGES, MESSAGE_PING, message, 4],
  ['chat completions of an agent', CHAT, { ...PING, model: 'agent:ann' }, chat, 2],
  ['agent chat', '/v1/agents/AGENT/chat', { message: 'Hi' }, chat, 2],
];

/** The last frame of a stream, by surface. */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  [CHAT]: /\n\ndata: {"error":{[^\n]*"code":"invalid_api_key"}}\n\n$/,
  [MESSAGES]: /\n\nevent: error\ndata: {[^\n]*"type":"authentication_error"[^\n]*}\n\n$/,
};
const NATIVE = /\n\nevent: error\ndata: {"error":{[^\n]*"code":"invalid_api_key"[^\n]*}}\n\n$/;

describe.each(TRANSPORTS)('a stream whose key is revoked, services over %s', (transport) => {
  let line: Line;
  let agentId = '';

  beforeAll(async () => {
    line = await openLine({ transport, env: { WITAN_MODEL_FULL: 'gpt-test' } });
    const { json } = await line.client.send('/v1/agents', {
      body: { name: 'Ann', systemPrompt: 'Be.' },
    });
    agentId = (json as { agent: { id: string } }).agent.id;
  });
  afterAll(async () => {
    await line[Symbol.asyncDispose]();
  });

  /** Opens a stream with a separate key of the same workspace. */
  const ask = async (path: string, body: object) => {
    const made = await line.client.send('/v1/api-keys', { body: { name: 'a' } });
    const { apiKey, key } = made.json as { apiKey: { id: string }; key: string };
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    };
    const asked = { headers, body: { ...body, ...(path in ENDINGS ? { stream: true } : {}) } };
    return {
      answer: line.client.open(path.replace('AGENT', agentId), asked),
      revoke: async (): Promise<void> => {
        const revoked = await line.client.send(`/v1/api-keys/${apiKey.id}`, { method: 'DELETE' });
        expect(revoked.status).toBe(204);
      },
    };
  };

  it.each(STREAMS)('ends, certified: %s', async (_name, path, body, said, frames) => {
    const gate = createGate();
    line.provider.script(said(gate));
    gate.release(frames);
    const number = line.provider.requests.length + 1;
    const { answer: opening, revoke } = await ask(path, body);
    const response = await opening;
    expect(response.status).toBe(200);
    await revoke();
    const { text } = await readAnswer(response);
    expect(text).toMatch(/"one"/);
    expect(text).toMatch(ENDINGS[path] ?? NATIVE);
    expect((await line.provider.whenAborted(number)).aborted).toBe(true);
    const id = response.headers.get('x-service-proof');
    const certificate = await eventually(async () => {
      const answer = await line.client.send(`/v1/proofs/${id}`);
      return answer.status === 200 ? answer.json : undefined;
    }, 'the certificate of what was produced');
    expect(certificate).toMatchObject({
      payload: {
        response: {
          finishReason: 'aborted',
          sha256: commitAnswer([{ index: 0, content: 'one', toolCalls: [] }]),
        },
      },
    });
  });

  it('is refused where nothing was said yet', async () => {
    const number = line.provider.requests.length + 1;
    line.provider.script(neverAnswer());
    const { answer, revoke } = await ask(CHAT, PING);
    await line.provider.whenRequest(number);
    await revoke();
    const { status, json } = await readAnswer(await answer);
    expect([status, json]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
  });

  it('ends for its reader, while the debate that it tells goes on', async () => {
    const made = await line.client.send('/v1/conversations', { body: { title: 't' } });
    const { id } = (made.json as { conversation: { id: string } }).conversation;
    const { length } = line.provider.requests;
    line.provider.script(neverAnswer());
    const { answer, revoke } = await ask(`/v1/conversations/${id}/message`, { content: 'Hire?' });
    const response = await answer;
    await line.provider.whenRequest(length + 1);
    await revoke();
    const { text } = await readAnswer(response);
    expect(text).toMatch(/event: debate.started\n/);
    expect(text).toMatch(NATIVE);
    expect(line.provider.requests[length]).not.toMatchObject({ aborted: true });
  });
});
