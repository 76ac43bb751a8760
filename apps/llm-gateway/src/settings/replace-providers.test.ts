import { describe, expect, it } from '@jest/globals';
import type { CheckedProvider } from './check-providers.ts';
import type { StoredModels, StoredProvider } from './ports.ts';
import { replaceProviders } from './replace-providers.ts';
import { NO_SETTINGS } from '../provider/workspace-models.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const storedProvider: StoredProvider = {
  name: 'mine',
  dialect: 'chat-completions',
  baseUrl: 'https://mine.example/v1',
  keyPreview: '…1234',
  version: 'ver_1',
  updatedAt: new Date('2026-11-01T00:00:00Z'),
};
const stored: StoredModels = { settings: NO_SETTINGS, providers: [storedProvider] };
const same: CheckedProvider = {
  name: 'mine',
  dialect: 'chat-completions',
  baseUrl: 'https://mine.example/v1',
  apiKey: undefined,
};
const replace = (requested: readonly CheckedProvider[], from: StoredModels = stored) =>
  replaceProviders(from, requested, {
    operatorProviders: ['openai'],
    newVersion: () => 'ver_2',
    now: NOW,
  });

describe('a provider that is replaced', () => {
  it('keeps its stored key if none is given', () => {
    expect(replace([same])).toEqual([{ ...storedProvider, apiKey: undefined }]);
  });

  it('gets a new version with a new key', () => {
    const [provider] = replace([{ ...same, apiKey: 'a-new-key-5678' }]);
    expect(provider).toEqual({
      ...storedProvider,
      apiKey: 'a-new-key-5678',
      keyPreview: '…5678',
      version: 'ver_2',
      updatedAt: NOW,
    });
  });

  it.each<[string, Partial<CheckedProvider>]>([
    ['another host', { baseUrl: 'https://evil.example/v1' }],
    ['another path', { baseUrl: 'https://mine.example/v2' }],
    ['another dialect', { dialect: 'messages' }],
    ['another name', { name: 'yours' }],
  ])('needs its key again for %s', (_name, change) => {
    expect(() => replace([{ ...same, ...change }])).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: 'providers[0].apiKey' },
      }),
    );
  });

  it('has no key characters in its preview if the key is short', () => {
    expect(replace([{ ...same, apiKey: 'elevenchars' }])[0]!.keyPreview).toBe('…');
    expect(replace([{ ...same, apiKey: 'twelve-chars' }])[0]!.keyPreview).toBe('…hars');
  });
});

describe('a provider that is omitted', () => {
  const withTarget = (provider: string): StoredModels => {
    const target = { provider, model: 'm', weight: 0 };
    return { ...stored, settings: { ...NO_SETTINGS, aliases: new Map([['fast', [target]]]) } };
  };

  it('is removed', () => {
    expect(replace([])).toEqual([]);
  });

  it('is not removed while a target names it', () => {
    expect(() => replace([], withTarget('mine'))).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        message: expect.stringContaining('aliases.fast.targets[0]'),
        fields: { param: 'providers' },
      }),
    );
  });

  it("may be removed if an operator's provider of the same name remains", () => {
    expect(replace([], withTarget('openai'))).toEqual([]);
  });
});
