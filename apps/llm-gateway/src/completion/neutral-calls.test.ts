import { describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProvider } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import { replyInChat, replyInMessages } from '../../test/provider-answers.ts';
import { findEvent, kindsOf } from '../../test/read-as-client.ts';
import { makeAddress, neutralRequest, userTurn } from '../../test/requests.ts';
import { delivering, readEdited, textOf } from '../../test/read-edited.ts';
import { createOfflineProvider } from '../provider/clients/offline/offline-provider.ts';

const AGENT = makeAddress({ requested: 'agent:ann', kind: 'agent', agent: 'ann' });
const OBJECT = '{"city":"Basel"}';
const CONVERSATION = {
  system: [{ text: 'You are Ann.' }],
  // This text is short, because the offline provider quotes it and has only 90 tokens.
  turns: [userTurn('Parcels to Basel arrive within two days. When do they arrive?')],
  sampling: { temperature: 0.8, maxOutputTokens: 90 },
  responseFormat: { kind: 'json_object' },
};
const GROUNDING = { passages: [{ source: 'kns_1', chunkId: 'c_1', sha256: 'ab'.repeat(32) }] };

const openProvider = (kind: string): FakeProvider => {
  if (kind === 'offline') {
    const { complete } = createOfflineProvider();
    return createFakeProvider({ name: kind, reply: complete });
  }
  if (kind === 'anthropic') {
    const reply = ({ body }: { body: Uint8Array }) => replyInMessages({ content: OBJECT }, body);
    return createFakeProvider({ name: kind, dialect: 'messages', reply });
  }
  const reply = ({ body }: { body: Uint8Array }) => replyInChat({ content: OBJECT }, body);
  return createFakeProvider({ name: kind, reply });
};

const FORMS = [
  ['plain', false],
  ['streamed', true],
] as const;

describe.each(['openai', 'anthropic', 'local', 'offline'])('a call of an agent at %s', (kind) => {
  const ask = async (streamed: boolean) => {
    const provider = openProvider(kind);
    const completions = openCompletions({ providers: [provider] });
    const request = neutralRequest(
      { ...CONVERSATION, streamed },
      { address: AGENT, grounding: GROUNDING, purpose: 'chat' },
    );
    const { events, failure } = await readEdited(
      completions,
      request,
      delivering((text) => text),
    );
    expect(failure).toBe('');
    return { events, provider, draft: completions.certified[0]! };
  };

  it.each(FORMS)(
    'requests a JSON object and the sampling parameters: %s',
    async (_name, streamed) => {
      const { provider } = await ask(streamed);
      const body = provider.lastBody();
      const limit = body['max_completion_tokens'] ?? body['max_tokens'];
      expect([body['temperature'], limit, body['stream'] ?? false]).toEqual([0.8, 90, streamed]);
      // The messages dialect has no JSON mode, so the system prompt asks for JSON.
      const jsonRequest = kind === 'anthropic' ? body['system'] : body['response_format'];
      expect(JSON.stringify(jsonRequest)).toMatch(/json/i);
    },
  );

  it.each(FORMS)('is answered with an object: %s', async (_name, streamed) => {
    const { events } = await ask(streamed);
    expect(kindsOf(events)).toBe('opened part ending completed');
    expect(findEvent(events, 'opened')).toMatchObject({ neutral: true, streamed });
    expect(JSON.parse(textOf(events))).toEqual(expect.any(Object));
  });

  it.each(FORMS)('is certified with its grounding: %s', async (_name, streamed) => {
    const { events, draft } = await ask(streamed);
    expect(draft).toMatchObject({
      address: AGENT,
      grounding: GROUNDING,
      egress: { provider: kind },
      routing: { taskType: 'chat', reason: 'forced' },
      answer: {
        sha256: commitAnswer([{ index: 0, content: textOf(events), toolCalls: [] }]),
        finishReason: 'stop',
      },
    });
  });
});
