import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const THINKING = { thinking: 'The user is at sea.', signature: 'EqQBCgIYAhIM0x5/sealed+by+them==' };
const CALL = { id: 'toolu_1', name: 'get_weather', input: '{"city":"Oslo"}' };
const RESULTS = [{ id: 'toolu_1', name: 'get_weather', text: 'snow' }];
const USAGE = { input: 11, output: 7 };

const THINKERS = LANES.filter(([, { vendor }]) => vendor.dialect === 'messages');
const WITHIN = THINKERS.filter(([, { crossed }]) => !crossed);
const ACROSS = THINKERS.filter(([, { crossed }]) => crossed);

describe.each([
  ['plain', false],
  ['streamed', true],
])('reasoning signed by the vendor, %s', (_form, streamed) => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each(WITHIN)('returns to the vendor with its signature, from %s', async (_title, lane) => {
    const { model, dialect } = lane.vendor;
    const client = bench.clientOf(lane);
    bench.script(sendSpeech(dialect, { thinking: THINKING, calls: [CALL] }));
    const turns: Turn[] = [{ user: 'How is the weather?' }];
    const answer = await client.ask({ model, streamed, turns, tools: TOOLS });
    expect(answer.calls).toHaveLength(1);
    await expectProven(bench, lane, { finishReason: 'tool_calls', usage: USAGE });
    bench.script(sendSpeech(dialect, { text: ['It snows.'] }));
    turns.push({ answer }, { results: RESULTS });
    expect((await client.ask({ model, streamed, turns, tools: TOOLS })).text).toBe('It snows.');
    await expectProven(bench, lane, { finishReason: 'stop', usage: USAGE });
    expect(bench.lastRequest().body.toString()).toBe(bench.lastCall().sent);
    const { messages } = bench.lastRequest().parsed as { messages: { content: object[] }[] };
    expect(messages[1]!.content).toEqual([
      { type: 'thinking', ...THINKING },
      expect.objectContaining({ type: 'tool_use', id: 'toolu_1' }),
    ]);
  });

  it.each(ACROSS)('leaves text and tool calls intact: %s', async (_title, lane) => {
    const { model, dialect } = lane.vendor;
    bench.script(sendSpeech(dialect, { thinking: THINKING, text: ['I look.'], calls: [CALL] }));
    const turns = [{ user: 'How is the weather?' }];
    const answer = await bench.clientOf(lane).ask({ model, streamed, turns, tools: TOOLS });
    expect(answer.text).toBe('I look.');
    expect(answer.calls).toEqual([{ id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }]);
    await expectProven(bench, lane, { finishReason: 'tool_calls', usage: USAGE });
    expect(bench.lastCall().bytes().toString()).toContain('"reasoning_content"');
    expect(bench.lastCall().bytes().toString()).not.toContain(THINKING.signature);
  });
});
