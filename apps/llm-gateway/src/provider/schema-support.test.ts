import { describe, expect, it } from '@jest/globals';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import { answerOf, replyInChat } from '../../test/provider-answers.ts';
import { findEvent } from '../../test/read-as-client.ts';
import { neutralRequest, wireRequest } from '../../test/requests.ts';
import type { Provider } from './provider.ts';

const SCHEMA = {
  type: 'object',
  properties: { content: { type: 'string', description: 'your answer' } },
  required: ['content'],
};
const OWN_CALL = neutralRequest({
  responseFormat: { kind: 'json_schema', name: 'answer', schema: JSON.stringify(SCHEMA) },
});

const refuse = (message: string, status = 400) =>
  answerOf([JSON.stringify({ error: { message, type: 'invalid_request_error' } })], { status });

type Body = { response_format?: { type: string }; messages: { role: string; content: string }[] };

/** Opens a provider that refuses JSON Schemas with the given message. */
const open = ({
  message = "response_format type 'json_schema' is unavailable",
  status = 400,
  adaptation,
}: { message?: string; status?: number } & Pick<Provider, 'adaptation'> = {}) => {
  const refused = new Set(['json_schema']);
  const provider = createFakeProvider({
    reply: ({ body }) => {
      const { response_format: format } = JSON.parse(Buffer.from(body).toString()) as Body;
      return refused.has(format?.type ?? '') ? refuse(message, status) : replyInChat({}, body);
    },
  });
  const bodies = (): Body[] =>
    provider.calls.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Body);
  const formats = (): (string | undefined)[] =>
    bodies().map(({ response_format: format }) => format?.type);
  const providers = [{ ...provider, ...(adaptation ? { adaptation } : {}) }];
  return { bodies, formats, refused, ...openCompletions({ providers }) };
};

describe('the JSON Schema of an own call', () => {
  it('is a part of the request, and its text is not in the prompt', async () => {
    const provider = createFakeProvider();
    const { read } = openCompletions({ providers: [provider] });
    await read(OWN_CALL);
    const body = provider.lastBody();
    expect(body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
      messages: [{ content: 'Its members:\n- content: your answer' }, { role: 'user' }],
    });
  });

  it('is written into the prompt if the provider refuses it, and the refusal is certified', async () => {
    const { read, bodies, formats, certified } = open();
    const { events, failure } = await read(OWN_CALL);
    expect([failure, formats()]).toEqual(['', ['json_schema', 'json_object']]);
    expect(bodies()[1]!.messages[0]!.content).toContain(JSON.stringify(SCHEMA));
    expect(findEvent(events, 'opened')).toMatchObject({ status: 200, proofId: 'pf_1f1' });
    const ends = certified.map(({ proofId, answer }) => [proofId, answer.finishReason]);
    expect(ends).toEqual([
      ['pf_1', 'error'],
      ['pf_1f1', 'stop'],
    ]);
  });

  it('is sent again half an hour after a refusal', async () => {
    const { read, formats, clock } = open();
    await read(OWN_CALL);
    await read(OWN_CALL);
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_object']);
    clock.now += 30 * 60_000;
    await read(OWN_CALL);
    expect(formats().slice(3)).toEqual(['json_schema', 'json_object']);
  });

  it('is sent by the next call if the provider refused the call without it, too', async () => {
    const { read, formats, refused } = open();
    refused.add('json_object');
    const { events } = await read(OWN_CALL);
    expect(findEvent(events, 'opened').status).toBe(400);
    await read(OWN_CALL);
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object']);
  });

  it.each<[string, { message?: string; status?: number }]>([
    ['refuses the rest of the request', { message: 'The prompt exceeds the context size.' }],
    ['fails', { status: 500 }],
  ])('is sent once if the provider %s', async (_what, options) => {
    const { read, formats } = open(options);
    const { events } = await read(OWN_CALL);
    expect(findEvent(events, 'opened').status).toBe(options.status ?? 400);
    expect(formats()).toEqual(['json_schema']);
  });

  it.each([
    ['jsonSchema: false', { unsupported: [], jsonSchema: false }, 'json_object'],
    ['no response_format', { unsupported: ['response_format'] }, undefined],
  ])('is text from the start for a provider with %s', async (_name, rules, format) => {
    const adaptation = { outputLimit: undefined, ...rules };
    const { read, bodies, formats } = open({ adaptation });
    expect((await read(OWN_CALL)).failure).toBe('');
    expect(formats()).toEqual([format]);
    expect(bodies()[0]!.messages[0]!.content).toContain(JSON.stringify(SCHEMA));
  });

  it("of a client is the client's: a refusal is passed on", async () => {
    const { read, formats } = open();
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } };
    const { events } = await read(wireRequest('chat-completions', { response_format: format }));
    expect([findEvent(events, 'opened').status, formats()]).toEqual([400, ['json_schema']]);
  });
});
