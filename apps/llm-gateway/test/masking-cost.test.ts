import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PRIVACY } from '../src/masking/privacy-settings.ts';
import type { PrivacySettings } from '../src/masking/privacy-settings.ts';
import { createTestPrivacy } from './masking.ts';

const SHORT_PATTERN = { pattern: 'K-\\d{6}', category: 'ORG' } as const;
const COSTLY_PATTERN = { pattern: '.{1,100}X', category: 'ORG' } as const;

describe('the cost of patterns', () => {
  const mask = (length: number, patterns: PrivacySettings['patterns']) => {
    let isOffloaded = false;
    const privacy = createTestPrivacy(() => (isOffloaded = true));
    const text = JSON.stringify(' '.repeat(length - 2));
    const settings = { ...DEFAULT_PRIVACY, patterns };
    const signal = new AbortController().signal;
    const options = { workspaceId: 'ws_a', provider: 'p', settings, signal } as const;
    return privacy
      .maskBody(text, { ...options, dialect: 'chat-completions' })
      .then(() => isOffloaded);
  };

  it.each([
    ['a short text', 32_768, [], false],
    ['a long text', 32_769, [], true],
    ['a short text with a cheap pattern', 16_384, [SHORT_PATTERN], false],
    ['a short text with a costly pattern', 16_384, [COSTLY_PATTERN], true],
  ])('decides where %s is masked', async (_name, length, patterns, isOffloaded) => {
    expect(await mask(length, patterns)).toBe(isOffloaded);
  });

  it('is limited', async () => {
    await expect(mask(14_000_000, [COSTLY_PATTERN])).rejects.toMatchObject({
      reason: 'REQUEST_TOO_LARGE',
    });
    expect(await mask(1_000_000, [COSTLY_PATTERN])).toBe(true);
  });
});
