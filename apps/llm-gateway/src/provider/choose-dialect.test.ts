import { describe, expect, it } from '@jest/globals';
import type { EndpointName } from '@witan/dialects';
import { chooseDialect } from './provider.ts';

const OPENAI = ['chat-completions', 'responses', 'embeddings'] as const;

describe('the dialect of a call', () => {
  it.each<[readonly EndpointName[], EndpointName | undefined, EndpointName]>([
    [OPENAI, 'chat-completions', 'chat-completions'],
    [OPENAI, 'responses', 'responses'],
    [OPENAI, 'embeddings', 'embeddings'],
    [OPENAI, 'messages', 'chat-completions'],
    [OPENAI, undefined, 'chat-completions'],
    [['messages'], 'responses', 'messages'],
    [['responses', 'chat-completions'], 'messages', 'responses'],
    [['embeddings', 'responses'], 'chat-completions', 'responses'],
    [['embeddings'], 'chat-completions', 'embeddings'],
  ])('to a provider of %j from a client of %s is %s', (dialects, client, expected) => {
    expect(chooseDialect({ dialects }, client)).toBe(expected);
  });
});
