import { describe, expect, it } from '@jest/globals';
import type { WireBody } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { neutralRequest, wireRequest } from '../../test/requests.ts';
import type { RequestInput } from '../masking/inspect-call.ts';
import { readWireBody } from './plan-call.ts';
import { chooseDialect } from './prepare-egress.ts';

const inputOf = (client: DialectName | 'neutral'): RequestInput => {
  const { input } = client === 'neutral' ? neutralRequest() : wireRequest(client);
  return input.case === 'conversation'
    ? { form: 'neutral', conversation: input.value }
    : readWireBody(input.value as WireBody);
};

describe('the dialect of a call', () => {
  const both = { dialect: 'chat-completions', otherDialects: ['responses'] } as const;
  it.each<[DialectName | 'neutral', DialectName]>([
    ['chat-completions', 'chat-completions'],
    ['responses', 'responses'],
    ['messages', 'chat-completions'],
    ['neutral', 'chat-completions'],
  ])('from a client of %s is %s', (client, expected) => {
    expect(chooseDialect(inputOf(client), both)).toBe(expected);
  });

  it('is that of a provider with one dialect', () => {
    expect(chooseDialect(inputOf('responses'), { dialect: 'messages' })).toBe('messages');
  });
});
