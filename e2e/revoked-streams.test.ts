import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { answerMessageWith, answerWith, createGate, eventually, neverAnswer } from '@witan/testing';
import type { Gate, Script } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING, readAnswer } from './http-client.ts';
import { RESPONSE_PING, RESPONSES } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const content = ['one', 'two', 'three'];
const chat = (gate: Gate): Script => answerWith({ content }, { gate });
const message = (gate: Gate): Script => answerMessageWith({ content }, { gate });

/**
 * Name, path, body, provider script, and number of frames up to and including the first piece of
 * text.
 */
const STREAMS: [string, string, object, (gate: Gate) => Script, number][] = [
  ['chat completions', CHAT, PING, chat, 2],
  ['messages', MESSAGES, MESSAGE_PING, message, 4],
  ['responses', RESPONSES, RESPONSE_PING, chat, 2],
  ['chat completions of an agent', CHAT, { ...PING, model: 'agent:ann' }, chat, 2],
  ['agent chat', '/v1/agents/AGENT/chat', { message: 'Hi' }, chat, 2],
];

/**
 * Matches the error event at the end of a stream, by path; `NATIVE` matches it for all other paths.
 */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  [CHAT]: /\n\ndata: {"error":{[^\n]*"code":"invalid_api_key"}}\n\n$/,
  [RESPONSES]:
    /\n\nevent: response\.failed\ndata: {.*"code":"invalid_api_key".*}\n\ndata: \[DONE\]\n\n$/,
  [MESSAGES]: /\n\nevent: error\ndata: {[^\n]*"type":"authentication_error"[^\n]*}\n\n$/,
};
const NATIVE = /\n\nevent: error\ndata: {"error":{[^\n]*"code":"invalid_api_key"[^\n]*}}\n\n$/;

describe.each(TRANSPORTS)('a stream whose key is revoked, services over %s', (transport) => {
  let fixture: Fixture;
  let agentId = '';

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: { WITAN_MODEL_FULL: 'gpt-test' } });
    const { json } = await fixture.client.send('/v1/agents', {
      body: { name: 'Ann', systemPrompt: 'Be.' },
    });
    agentId = (json as { agent: { id: string } }).agent.id;
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Creates a second API key of the workspace and opens a stream with it. The returned `revoke`
   * revokes that key.
   */
  const openStream = async (path: string, body: object) => {
    const created = await fixture.client.send('/v1/api-keys', { body: { name: 'a' } });
    const { apiKey, key } = created.json as { apiKey: { id: string }; key: string };
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    };
    const init = { headers, body: { ...body, ...(path in ENDINGS ? { stream: true } : {}) } };
    return {
      answer: fixture.client.open(path.replace('AGENT', agentId), init),
      revoke: async (): Promise<void> => {
        const revoked = await fixture.client.send(`/v1/api-keys/${apiKey.id}`, {
          method: 'DELETE',
        });
        expect(revoked.status).toBe(204);
      },
    };
  };

  it.each(STREAMS)('ends and is certified: %s', async (_name, path, body, script, frames) => {
    const gate = createGate();
    fixture.provider.script(script(gate));
    gate.release(frames);
    const callNumber = fixture.provider.requests.length + 1;
    const { answer: opening, revoke } = await openStream(path, body);
    const response = await opening;
    expect(response.status).toBe(200);
    await revoke();
    const { text } = await readAnswer(response);
    expect(text).toMatch(/"one"/);
    expect(text).toMatch(ENDINGS[path] ?? NATIVE);
    expect((await fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    const id = response.headers.get('x-service-proof');
    const certificate = await eventually(async () => {
      const answer = await fixture.client.send(`/v1/proofs/${id}`);
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

  it('is refused if no content was sent yet', async () => {
    const callNumber = fixture.provider.requests.length + 1;
    fixture.provider.script(neverAnswer());
    const { answer, revoke } = await openStream(CHAT, PING);
    await fixture.provider.whenRequest(callNumber);
    await revoke();
    const { status, json } = await readAnswer(await answer);
    expect([status, json]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
  });

  it('ends for its reader, while the debate continues', async () => {
    const created = await fixture.client.send('/v1/conversations', { body: { title: 't' } });
    const { id } = (created.json as { conversation: { id: string } }).conversation;
    const { length } = fixture.provider.requests;
    fixture.provider.script(neverAnswer());
    const { answer, revoke } = await openStream(`/v1/conversations/${id}/message`, {
      content: 'Hire?',
    });
    const response = await answer;
    await fixture.provider.whenRequest(length + 1);
    await revoke();
    const { text } = await readAnswer(response);
    expect(text).toMatch(/event: debate.started\n/);
    expect(text).toMatch(NATIVE);
    expect(fixture.provider.requests[length]).not.toMatchObject({ aborted: true });
  });
});
