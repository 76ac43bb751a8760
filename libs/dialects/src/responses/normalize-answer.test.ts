import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.ts';
import { createResponseAnswer } from '@witan/proof';
import { createAnswerNormalizer } from './normalize-answer.ts';

/** Streams as llama.cpp's server and two releases of Ollama write them. */
const readGolden = (name: string): JsonObject[] =>
  readFileSync(new URL(`golden/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);

const normalize = (events: readonly JsonObject[]): JsonObject[] => {
  const normalizer = createAnswerNormalizer();
  return events.flatMap((event) => normalizer.chunk(event));
};

const answerOf = (events: readonly JsonObject[]) => {
  const answer = createResponseAnswer();
  for (const event of events) answer.chunk(event);
  const [choice] = answer.choices();
  return {
    contradiction: answer.contradiction,
    content: choice?.content,
    calls: choice?.toolCalls.map(({ name, arguments: json }) => `${name} ${json}`),
    finishReason: answer.finishReason,
  };
};

const CALLS = ['hold {"to":"alice"}', 'note {"a":1}'];
const STREAMS = [
  ['llama-cpp', 'We must not pay <Zoë>.\n', ['hold {"to": "alice"}', 'note {"a": 1}']],
  ['llama-cpp-repeated-start', 'Zoë pays', []],
  ['ollama-0.32.7', 'We must not pay <Zoë>.', CALLS],
  ['ollama-0.33.0', 'We must not pay <Zoë>.', CALLS],
] as const;

describe.each(STREAMS)('a stream of %s', (name, content, calls) => {
  const events = readGolden(name);
  const normalized = normalize(events);

  it('contradicts itself, and does not any more', () => {
    expect(answerOf(events).contradiction).toBeDefined();
    expect(answerOf(normalized)).toEqual({
      contradiction: undefined,
      content,
      calls,
      finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    });
  });

  it('has an index for each item, the same in its end, and no two numbers alike', () => {
    const added = normalized.filter(({ type }) => type === 'response.output_item.added');
    expect(added.map((event) => event.output_index)).toEqual(added.map((_, index) => index));
    const { output } = normalized.at(-1)!.response as { output: JsonObject[] };
    expect(output.map(({ id }) => id)).toEqual(added.map(({ item }) => (item as JsonObject).id));
    const numbers = normalized.flatMap((event) => event.sequence_number ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('stays as it is when it is normalized again', () => {
    expect(normalize(normalized)).toEqual(normalized);
  });

  it('is refused if its end has another text, item or call', () => {
    const end = JSON.stringify(events.at(-1));
    const edits = [
      end.replace(/"text":"(?:We|Zoë) /, '"text":"Ho '),
      end.replace(
        '"output":[',
        '"output":[{"type":"message","id":"x","content":[{"type":"output_text","text":"x"}]},',
      ),
      end.replace('alice', 'mallory'),
      end.replace('"hold"', '"pay"'),
    ].filter((edited) => edited !== end);
    expect(edits.length).toBeGreaterThan(1);
    for (const edited of edits) {
      const changed = events.with(-1, JSON.parse(edited) as JsonObject);
      expect(answerOf(normalize(changed)).contradiction).toBeDefined();
    }
  });
});

describe('a stream in the form of the API', () => {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };
  const added = { type: 'response.output_item.added', output_index: 0, item };
  const delta = { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1' };
  const events: JsonObject[] = [
    { type: 'response.created', response: { output: [] } },
    added,
    { ...delta, content_index: 0, delta: 'Hi' },
    { type: 'response.of_tomorrow' },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  ];

  it('is returned as the same objects, also if its end lacks an item', () => {
    const normalized = normalize(events);
    expect(normalized.length).toBe(events.length);
    for (const [position, event] of normalized.entries()) expect(event).toBe(events[position]);
    expect(answerOf(normalized).contradiction).toBeDefined();
  });

  it('keeps a second start and a second item with an id, which are refused', () => {
    for (const [twice, at] of [
      [events[0]!, 1],
      [added, 2],
    ] as const) {
      const repeated = events.toSpliced(at, 0, twice);
      expect(normalize(repeated)).toEqual(repeated);
      expect(answerOf(normalize(repeated)).contradiction).toBeDefined();
    }
  });
});
