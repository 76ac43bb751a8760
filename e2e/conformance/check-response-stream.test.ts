import { describe, expect, it } from '@jest/globals';
import { toResponseEvents } from '@witan/testing';
import { checkResponseStream } from './check-response-stream.ts';

type Event = { type?: string } & Record<string, unknown>;

const EVENTS: Event[] = toResponseEvents({
  text: ['Hi ', 'Zoë'],
  calls: [{ id: 'call_a', name: 'f', arguments: '{"x":1}' }],
});
const DONE = 'data: [DONE]\n\n';

const toFrames = (events: readonly Event[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const renumber = (events: readonly Event[]): Event[] =>
  events.map((event, sequence_number) => ({ ...event, sequence_number }));
const without = (type: string): Event[] => renumber(EVENTS.filter((event) => event.type !== type));
const changed = (type: string, members: object): Event[] =>
  EVENTS.map((event) => (event.type === type ? { ...event, ...members } : event));

describe('checkResponseStream', () => {
  it('accepts a complete stream', () => {
    expect(checkResponseStream(toFrames(EVENTS) + DONE)).toEqual([]);
  });

  it('accepts a failure in mid-stream', () => {
    const failed = { type: 'response.failed', response: { id: 'resp_scripted', status: 'failed' } };
    const events = renumber([...EVENTS.slice(0, 5), failed]);
    expect(checkResponseStream(toFrames(events) + DONE)).toEqual([]);
  });

  it.each<[string, string]>([
    ['[DONE]', toFrames(EVENTS)],
    ['a terminal event', toFrames(without('response.completed')) + DONE],
    ['response.created', toFrames(without('response.created')) + DONE],
    ['response.in_progress', toFrames(without('response.in_progress')) + DONE],
    ['the opener of an item', toFrames(without('response.output_item.added')) + DONE],
    ['the end of an item', toFrames(without('response.output_item.done')) + DONE],
    ['the opener of a part', toFrames(without('response.content_part.added')) + DONE],
    ['deltas', toFrames(without('response.output_text.delta')) + DONE],
    ['deltas of arguments', toFrames(without('response.function_call_arguments.delta')) + DONE],
    ['a number', toFrames(EVENTS.filter((_event, index) => index !== 5)) + DONE],
    ['its name', toFrames(EVENTS).replace('event: response.completed', 'event: x') + DONE],
    ['the end, and goes on', toFrames(EVENTS) + DONE + toFrames(EVENTS.slice(0, 1))],
    ['the id of its item', toFrames(changed('response.output_text.done', { item_id: 'x' })) + DONE],
    [
      'the items of the stream in its response',
      toFrames(
        changed('response.completed', {
          response: { id: 'resp_scripted', status: 'completed', output: [] },
        }),
      ) + DONE,
    ],
    [
      'the id of its response',
      toFrames(
        changed('response.in_progress', { response: { id: 'resp_x', status: 'in_progress' } }),
      ) + DONE,
    ],
  ])('rejects a stream that lacks %s', (_name, transcript) => {
    expect(checkResponseStream(transcript)).not.toEqual([]);
  });
});
