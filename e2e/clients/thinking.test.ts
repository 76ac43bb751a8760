import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { PAIRINGS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const THINKING = { thinking: 'The user is at sea.', signature: 'EqQBCgIYAhIM0x5/sealed+by+them==' };
const TOOL_CALL = { id: 'toolu_1', name: 'get_weather', input: '{"city":"Oslo"}' };
const RESULTS = [{ id: 'toolu_1', name: 'get_weather', text: 'snow' }];
const USAGE = { input: 11, output: 7 };

const TO_MESSAGES = PAIRINGS.filter(([, { vendor }]) => vendor.dialect === 'messages');
const SAME_DIALECT = TO_MESSAGES.filter(([, { crossed }]) => !crossed);
const CHAT_CLIENTS = TO_MESSAGES.filter(([, { kind }]) => kind.dialect === 'chat-completions');
const RESPONSES_CLIENTS = TO_MESSAGES.filter(([, { kind }]) => kind.dialect === 'responses');

describe.each([
  ['plain', false],
  ['streamed', true],
])('reasoning signed by the vendor, %s', (_form, streamed) => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(SAME_DIALECT)(
    'returns to the vendor with its signature, from %s',
    async (_title, pairing) => {
      const { model, dialect } = pairing.vendor;
      const client = setup.clientOf(pairing);
      setup.script(sendModelOutput(dialect, { thinking: THINKING, calls: [TOOL_CALL] }));
      const turns: Turn[] = [{ user: 'How is the weather?' }];
      const answer = await client.ask({ model, streamed, turns, tools: TOOLS });
      expect(answer.calls).toHaveLength(1);
      await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
      setup.script(sendModelOutput(dialect, { text: ['It snows.'] }));
      turns.push({ answer }, { results: RESULTS });
      expect((await client.ask({ model, streamed, turns, tools: TOOLS })).text).toBe('It snows.');
      await expectProven(setup, pairing, { finishReason: 'stop', usage: USAGE });
      expect(setup.lastRequest().body.toString()).toBe(setup.lastCall().requestBody);
      const { messages } = setup.lastRequest().parsed as { messages: { content: object[] }[] };
      expect(messages[1]!.content).toEqual([
        { type: 'thinking', ...THINKING },
        expect.objectContaining({ type: 'tool_use', id: 'toolu_1' }),
      ]);
    },
  );

  it.each(RESPONSES_CLIENTS)(
    'returns to the vendor as it was signed, through another dialect: %s',
    async (_title, pairing) => {
      const { model, dialect } = pairing.vendor;
      const client = setup.clientOf(pairing);
      setup.script(sendModelOutput(dialect, { thinking: THINKING, calls: [TOOL_CALL] }));
      const turns: Turn[] = [{ user: 'How is the weather?' }];
      const answer = await client.ask({ model, streamed, turns, tools: TOOLS });
      await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
      setup.script(sendModelOutput(dialect, { text: ['It snows.'] }));
      turns.push({ answer }, { results: RESULTS });
      expect((await client.ask({ model, streamed, turns, tools: TOOLS })).text).toBe('It snows.');
      const { messages } = setup.lastRequest().parsed as { messages: { content: object[] }[] };
      expect(messages[1]!.content).toEqual([
        { type: 'thinking', ...THINKING },
        expect.objectContaining({ type: 'tool_use', id: 'toolu_1' }),
      ]);
    },
  );

  it.each(CHAT_CLIENTS)('leaves text and tool calls intact: %s', async (_title, pairing) => {
    const { model, dialect } = pairing.vendor;
    setup.script(
      sendModelOutput(dialect, { thinking: THINKING, text: ['I look.'], calls: [TOOL_CALL] }),
    );
    const turns = [{ user: 'How is the weather?' }];
    const answer = await setup.clientOf(pairing).ask({ model, streamed, turns, tools: TOOLS });
    expect(answer.text).toBe('I look.');
    expect(answer.calls).toEqual([{ id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }]);
    await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
    expect(setup.lastCall().bytes().toString()).toContain('"reasoning_content"');
    expect(setup.lastCall().bytes().toString()).not.toContain(THINKING.signature);
  });
});
