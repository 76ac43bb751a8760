import { describe, expect, it } from '@jest/globals';
import { checkProviders } from './check-providers.ts';
import type { ProviderInput } from './check-providers.ts';

const given = (input: Partial<ProviderInput> = {}): ProviderInput => ({
  name: 'mine',
  dialect: '',
  baseUrl: '',
  apiKey: 'key-of-mine',
  ...input,
});

const OPENAI = 'https://api.openai.com/v1';

describe('a list of providers', () => {
  it.each<[string, Partial<ProviderInput>, object]>([
    ['nothing but a name', {}, { dialect: 'chat-completions', baseUrl: OPENAI }],
    ['openai', { name: 'openai' }, { dialect: 'chat-completions', baseUrl: OPENAI }],
    [
      'anthropic',
      { name: 'anthropic' },
      { dialect: 'messages', baseUrl: 'https://api.anthropic.com' },
    ],
    ['a dialect', { dialect: 'messages' }, { baseUrl: 'https://api.anthropic.com' }],
    ['a base URL', { baseUrl: 'https://x.example/v1' }, { baseUrl: 'https://x.example/v1' }],
    ['no key', { apiKey: '' }, { apiKey: undefined }],
    ['the longest name', { name: 'n'.repeat(32) }, { name: 'n'.repeat(32) }],
  ])('takes %s and fills in the rest', (_name, input, expected) => {
    expect(checkProviders([given(input)])).toEqual([expect.objectContaining(expected)]);
  });

  it.each<[string, Partial<ProviderInput>, string]>([
    ['no name', { name: '' }, 'name'],
    ['an upper-case name', { name: 'Mine' }, 'name'],
    ['a name that begins with a digit', { name: '1st' }, 'name'],
    ['a name of 33 letters', { name: 'n'.repeat(33) }, 'name'],
    ["the operator's machine", { name: 'local' }, 'name'],
    ['the stand-in', { name: 'offline' }, 'name'],
    ['an unknown dialect', { dialect: 'smoke-signals' }, 'dialect'],
    ['openai in another dialect', { name: 'openai', dialect: 'messages' }, 'dialect'],
    ['anthropic in another', { name: 'anthropic', dialect: 'chat-completions' }, 'dialect'],
    ['a key with a line break', { apiKey: 'key\r\nx-admin: 1' }, 'apiKey'],
    ['a key that no header carries', { apiKey: 'schlüssel' }, 'apiKey'],
    ['an endless key', { apiKey: 'k'.repeat(1025) }, 'apiKey'],
  ])('refuses %s and names the place', (_name, input, field) => {
    const other = given({ name: 'other' });
    expect(() => checkProviders([other, given(input)])).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: `providers[1].${field}` },
      }),
    );
  });

  it('refuses a name that stands twice', () => {
    expect(() => checkProviders([given(), given()])).toThrow(
      expect.objectContaining({ fields: { param: 'providers[1].name' } }),
    );
  });

  it('holds 50 providers and no more', () => {
    const list = Array.from({ length: 51 }, (_, index) => given({ name: `p${index}` }));
    expect(checkProviders(list.slice(1))).toHaveLength(50);
    expect(() => checkProviders(list)).toThrow(
      expect.objectContaining({ fields: { param: 'providers' } }),
    );
  });

  it('never repeats a key in its refusal', () => {
    const act = (): unknown => checkProviders([given({ apiKey: 'secret of mine' })]);
    expect(act).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });
});
