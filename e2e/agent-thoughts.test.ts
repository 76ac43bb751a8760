import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const JSON_REQUEST = { responseFormat: { type: 'json' } };
const REFLECTION = { options: { reflection: true } };

type Reply = { content: string; contentParsed: object | null; thoughts?: string };

describe.each(['application/json', 'text/event-stream'])(
  'reasoning of an agent with %s',
  (accept) => {
    let fixture: Fixture;
    let agentId: string;

    beforeAll(async () => {
      fixture = await openFixture({ env: { WITAN_MODEL_FULL: 'gpt-full' } });
      const body = { name: 'Ann', systemPrompt: 'You doubt.' };
      const { json } = await fixture.client.send('/v1/agents', { body });
      agentId = (json as { agent: { id: string } }).agent.id;
    });
    afterAll(async () => fixture[Symbol.asyncDispose]());

    const chat = async (body: object, ...answers: [content: string, finishReason: string][]) => {
      for (const [content, finishReason] of answers)
        fixture.provider.script(answerWith({ content: Array.from(content), finishReason }));
      const headers = { 'x-api-key': fixture.system.apiKey, accept };
      const init = { body: { message: 'Buy?', ...body }, headers };
      const { text } = await fixture.client.send(`/v1/agents/${agentId}/chat`, init);
      return { text, reply: JSON.parse(text.split('event: done\ndata: ').at(-1)!) as Reply };
    };

    it('is removed from the content with reflection if its opening tag is missing', async () => {
      const { text, reply } = await chat(REFLECTION, ['SECRET.</think>\n\nNo.', 'stop']);
      expect(reply).toMatchObject({ content: 'No.', thoughts: 'SECRET.' });
      expect(text.match(/SECRET/g)).toHaveLength(1);
    });

    it('is returned as thoughts, not as content, if it is cut off', async () => {
      const { text, reply } = await chat(REFLECTION, ['SECRET and', 'length'], ['No.', 'stop']);
      expect(reply).toMatchObject({ content: 'No.', thoughts: 'SECRET and' });
      expect(text.match(/SECRET/g)).toHaveLength(1);
    });

    it('is not parsed as the JSON answer if its opening tag is missing', async () => {
      const { reply } = await chat(JSON_REQUEST, ['So {"a":1}?</think>{"a":2}', 'stop']);
      expect(reply).toMatchObject({ contentParsed: { a: 2 }, content: '{"a":2}' });
    });

    it('is not affected by tags that a JSON answer mentions', async () => {
      const { reply } = await chat(JSON_REQUEST, ['{"a":"open a <think> block","b":1}', 'stop']);
      expect(reply.contentParsed).toEqual({ a: 'open a <think> block', b: 1 });
    });

    it('never completes an object that the model did not finish', async () => {
      const truncated: [string, string] = ['{"a":[1,2', 'content_filter'];
      const { reply } = await chat(JSON_REQUEST, truncated, truncated);
      expect(reply).toMatchObject({ error: { code: 'provider_error' } });
    });
  },
);
