import { describe, expect, it } from '@jest/globals';
import { readFrame } from './response.ts';

const message = (content: unknown[]) => ({ type: 'message', content });

describe('the kind of a frame', () => {
  it.each([
    ['done', { type: 'response.completed', response: {} }],
    ['done', { type: 'response.incomplete', response: {} }],
    ['error', { type: 'response.failed', response: {} }],
    ['error', { type: 'error', message: 'gone' }],
    ['error', { error: { message: 'gone' } }],
    ['lifecycle', { type: 'response.created', response: {} }],
    ['lifecycle', { type: 'response.queued', response: {} }],
    ['lifecycle', { type: 'response.output_item.added', item: message([]) }],
    ['lifecycle', { type: 'response.output_item.added', item: { type: 'reasoning', summary: [] } }],
    ['lifecycle', { type: 'response.content_part.added', part: { type: 'output_text' } }],
    ['lifecycle', { type: 'response.output_text.delta', delta: '' }],
    ['lifecycle', { type: 'response.of_tomorrow' }],
    ['lifecycle', {}],
    ['content', { type: 'response.output_text.delta', delta: 'a' }],
    ['content', { type: 'response.output_text.done', text: 'a' }],
    ['content', { type: 'response.refusal.delta', delta: 'a' }],
    ['content', { type: 'response.of_tomorrow.delta', delta: 'a' }],
    ['content', { type: 'response.output_item.added', item: { type: 'function_call' } }],
    ['content', { type: 'response.output_item.added', item: { type: 'web_search_call' } }],
    ['content', { type: 'response.output_item.done', item: message([{}]) }],
  ])('is %s for %j', (kind, event) => {
    expect(readFrame(JSON.stringify(event))).toEqual({ kind, value: event });
  });

  it.each([
    ['cut', '[DONE]'],
    ['content', 'hello'],
    ['lifecycle', undefined],
  ])('is %s for the data %p', (kind, data) => {
    expect(readFrame(data)).toEqual({ kind });
  });
});
