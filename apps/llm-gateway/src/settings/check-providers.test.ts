import { describe, expect, it } from '@jest/globals';
import type { DialectName } from '@witan/dialects';
import { checkProviders, dialectsOf } from './check-providers.ts';
import type { ProviderInput } from './check-providers.ts';

const toProviderInput = (input: Partial<ProviderInput> = {}): ProviderInput => ({
  name: 'mine',
  dialect: '',
  baseUrl: '',
  apiKey: 'key-of-mine',
  ...input,
});

const OPENAI = 'https://api.openai.com/v1';

describe('checkProviders', () => {
  it.each<[string, Partial<ProviderInput>, object]>([
    ['only a name', {}, { dialect: 'chat-completions', baseUrl: OPENAI }],
    ['openai', { name: 'openai' }, { dialect: 'chat-completions', baseUrl: OPENAI }],
    [
      'openai with responses',
      { name: 'openai', dialect: 'responses' },
      { dialect: 'responses', baseUrl: OPENAI },
    ],
    [
      'anthropic',
      { name: 'anthropic' },
      { dialect: 'messages', baseUrl: 'https://api.anthropic.com' },
    ],
    ['a dialect', { dialect: 'messages' }, { baseUrl: 'https://api.anthropic.com' }],
    ['a base URL', { baseUrl: 'https://x.example/v1' }, { baseUrl: 'https://x.example/v1' }],
    ['a provider without a key', { apiKey: '' }, { apiKey: undefined }],
  ])('accepts %s and fills in the defaults', (_name, input, expected) => {
    expect(checkProviders([toProviderInput(input)])).toEqual([expect.objectContaining(expected)]);
  });

  it.each<[string, Partial<ProviderInput>, string]>([
    ['the name of the local runtime', { name: 'local' }, 'name'],
    ['the name of the offline provider', { name: 'offline' }, 'name'],
    ['openai in another dialect', { name: 'openai', dialect: 'messages' }, 'dialect'],
    ['anthropic in another dialect', { name: 'anthropic', dialect: 'chat-completions' }, 'dialect'],
    ['a key with a line break', { apiKey: 'key\r\nx-admin: 1' }, 'apiKey'],
    ['a key with characters that headers do not allow', { apiKey: 'schlüssel' }, 'apiKey'],
  ])('rejects %s and names the field', (_name, input, field) => {
    const other = toProviderInput({ name: 'other' });
    expect(() => checkProviders([other, toProviderInput(input)])).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: `providers[1].${field}` },
      }),
    );
  });

  it('rejects a duplicate name', () => {
    expect(() => checkProviders([toProviderInput(), toProviderInput()])).toThrow(
      expect.objectContaining({ fields: { param: 'providers[1].name' } }),
    );
  });

  it('never repeats a key in an error', () => {
    const act = (): unknown => checkProviders([toProviderInput({ apiKey: 'secret of mine' })]);
    expect(act).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });
});

describe('the dialects of a provider', () => {
  it.each<[DialectName, string, DialectName[]]>([
    ['chat-completions', OPENAI, ['chat-completions', 'responses']],
    ['responses', OPENAI, ['responses', 'chat-completions']],
    ['messages', 'https://api.anthropic.com', ['messages']],
    ['chat-completions', 'https://api.example/v1', ['chat-completions']],
  ])('of %s at %s are %j', (dialect, baseUrl, dialects) => {
    expect(dialectsOf({ dialect, baseUrl })).toEqual(dialects);
  });
});
