import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider, respondWith, streamFrames, toChatChunks } from '@witan/testing';
import type { Script, ScriptedProvider } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import { openFixture, PROVIDER_KEY, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const ACCOUNT = ['org-AbC123dEf456', 'proj_a1B2c3D4e5', 'billing@acme.example', PROVIDER_KEY];
const MAIL = 'ann.walker@example.com';

/**
 * Returns a script that fails with `status` and an error that names the operator's account and
 * quotes the request.
 */
const failNamingAccount =
  (status: number): Script =>
  (exchange) => {
    const { messages } = exchange.request.parsed as { messages: [{ content: string }] };
    const message = `Limit of ${ACCOUNT.join(', ')} reached by "${messages[0].content}".`;
    const error = { type: 'limit', message, code: null, param: null };
    return respondWith({ status, body: { type: 'error', error } })(exchange);
  };

describe.each(TRANSPORTS)("a provider's error, services over %s", (transport) => {
  let fixture: Fixture;
  let ownProvider: ScriptedProvider;

  beforeAll(async () => {
    ownProvider = await openScriptedProvider();
    const allowedTarget = `127.0.0.1:${ownProvider.port}`;
    fixture = await openFixture({ transport, env: { WITAN_ALLOW_PRIVATE_TARGETS: allowedTarget } });
    const provider = { name: 'mine', dialect: 'chat-completions', apiKey: 'sk-of-the-workspace' };
    const providersAnswer = await fixture.client.send('/v1/workspace/providers', {
      method: 'PUT',
      body: { providers: [{ ...provider, baseUrl: ownProvider.baseUrl }] },
    });
    const targets = [{ provider: 'mine', model: 'own-model' }];
    const aliasAnswer = await fixture.client.send('/v1/workspace', {
      method: 'PUT',
      body: { aliases: { own: { targets } } },
    });
    expect([providersAnswer.status, aliasAnswer.status]).toEqual([200, 200]);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await ownProvider[Symbol.asyncDispose]();
  });

  const withMail = (body: object) => ({
    ...body,
    messages: [{ role: 'user', content: `Write to ${MAIL}` }],
  });

  describe.each([400, 404, 429, 500, 529])('%i', (status) => {
    it.each([
      ['chat completions', CHAT, PING],
      ['messages', MESSAGES, MESSAGE_PING],
      ['chat completions crossed', CHAT, { ...PING, model: 'claude-test' }],
    ])("does not reveal the operator's account: %s", async (_name, path, body) => {
      fixture.provider.script(failNamingAccount(status));
      const answer = await fixture.client.send(path, { body: withMail(body) });
      expect(answer.status).toBe(status);
      for (const secret of ACCOUNT) expect(answer.text).not.toContain(secret);
      expect(answer.text).toContain('[redacted]');
      // The address comes from the client's own request, so it is not redacted.
      expect(answer.text).toContain(MAIL);
    });
  });

  it('does not reveal it at the end of a stream', async () => {
    const error = { error: { message: `${ACCOUNT.join(' ')} is over its limit` } };
    const frames = [...toChatChunks({ content: ['one'] }).slice(0, 2), error];
    fixture.provider.script(streamFrames(frames, { sendDone: false }));
    const { text } = await fixture.client.complete({ ...PING, stream: true });
    expect(text).toMatch(/\[redacted\] .*is over its limit/);
    for (const secret of ACCOUNT) expect(text).not.toContain(secret);
  });

  it('is shown to the workspace if the account is its own', async () => {
    const body = { error: { message: `Limit of ${ACCOUNT[0]} reached.`, code: 'x' } };
    ownProvider.script(respondWith({ status: 429, body }));
    const { status, text } = await fixture.client.complete({ ...PING, model: 'own' });
    expect([status, text]).toEqual([429, JSON.stringify(body)]);
  });
});
