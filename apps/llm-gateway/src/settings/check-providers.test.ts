import { describe, expect, it } from '@jest/globals';
import { checkProviders } from './check-providers.ts';
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
      'anthropic',
      { name: 'anthropic' },
      { dialect: 'messages', baseUrl: 'https://api.anthropic.com' },
    ],
    ['a dialect', { dialect: 'messages' }, { baseUrl: 'https://api.anthropic.com' }],
    ['a base URL', { baseUrl: 'https://x.example/v1' }, { baseUrl: 'https://x.example/v1' }],
    ['a provider without a key', { apiKey: '' }, { apiKey: undefined }],
    ['the longest name', { name: 'n'.repeat(32) }, { name: 'n'.repeat(32) }],
  ])('accepts %s and fills in the defaults', (_name, input, expected) => {
    expect(checkProviders([toProviderInput(input)])).toEqual([expect.objectContaining(expected)]);
  });

  it.each<[string, Partial<ProviderInput>, string]>([
    ['no name', { name: '' }, 'name'],
    ['an upper-case name', { name: 'Mine' }, 'name'],
    ['a name that begins with a digit', { name: '1st' }, 'name'],
    ['a name of 33 letters', { name: 'n'.repeat(33) }, 'name'],
    ['the name of the local runtime', { name: 'local' }, 'name'],
    ['the name of the offline provider', { name: 'offline' }, 'name'],
    ['an unknown dialect', { dialect: 'smoke-signals' }, 'dialect'],
    ['openai in another dialect', { name: 'openai', dialect: 'messages' }, 'dialect'],
    ['anthropic in another dialect', { name: 'anthropic', dialect: 'chat-completions' }, 'dialect'],
    ['a key with a line break', { apiKey: 'key\r\nx-admin: 1' }, 'apiKey'],
    ['a key with characters that headers do not allow', { apiKey: 'schlüssel' }, 'apiKey'],
    ['a key that is too long', { apiKey: 'k'.repeat(1025) }, 'apiKey'],
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

  it('accepts at most 50 providers', () => {
    const list = Array.from({ length: 51 }, (_, index) => toProviderInput({ name: `p${index}` }));
    expect(checkProviders(list.slice(1))).toHaveLength(50);
    expect(() => checkProviders(list)).toThrow(
      expect.objectContaining({ fields: { param: 'providers' } }),
    );
  });

  it('never repeats a key in an error', () => {
    const act = (): unknown => checkProviders([toProviderInput({ apiKey: 'secret of mine' })]);
    expect(act).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });
});
