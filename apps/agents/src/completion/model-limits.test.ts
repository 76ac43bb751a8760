import { describe, expect, it } from '@jest/globals';
import { toModelLimits } from './model-limits.ts';
import type { LimitSettings, ReportedLimits } from './model-limits.ts';

const SETTINGS: LimitSettings = { contextTokens: 128_000, completionTimeoutMs: 600_000 };
const LOCAL: ReportedLimits = { local: true, contextTokens: 8_192, tokenMs: 50 };

describe('the limits of a model', () => {
  it.each<[string, Partial<ReportedLimits>, number]>([
    ['what the runtime reports', {}, 8_192],
    ['the setting, if that is lower', { contextTokens: 1_000_000 }, 128_000],
    ['the setting, if the runtime reports nothing', { contextTokens: 0 }, 128_000],
  ])('have a context window: %s', (_name, reported, contextTokens) => {
    expect(toModelLimits({ ...LOCAL, ...reported }, SETTINGS).contextTokens).toBe(contextTokens);
  });

  it.each<[string, Partial<ReportedLimits>, Partial<LimitSettings>, number]>([
    ['a hosted model: the given time', { local: false }, {}, 90_000],
    ['a measured runtime: three times what it takes', {}, {}, 225_000],
    ['a fast runtime: the time of a hosted model', { tokenMs: 1 }, {}, 90_000],
    ['a slow runtime: the time of a completion', { tokenMs: 5_000 }, {}, 600_000],
    ['a runtime before its first call: the same', { tokenMs: 0 }, {}, 600_000],
    ['the setting, if there is one', {}, { localTimeoutMs: 20_000 }, 20_000],
  ])('have a time limit for %s', (_name, reported, settings, timeoutMs) => {
    const limits = toModelLimits({ ...LOCAL, ...reported }, { ...SETTINGS, ...settings });
    expect(limits.toTimeoutMs(90_000, { tokens: 500, parallel: 3 })).toBe(timeoutMs);
  });

  it.each<[string, number, number]>([
    ['what is left of the time of a completion', 200_000, 400_000],
    ['at least the time of a hosted model', 580_000, 90_000],
  ])('have a time limit for a slow runtime within a debate: %s', (_name, spentMs, timeoutMs) => {
    const limits = toModelLimits({ ...LOCAL, tokenMs: 5_000 }, SETTINGS);
    expect(limits.toTimeoutMs(90_000, { tokens: 500, spentMs })).toBe(timeoutMs);
    const unknown = toModelLimits({ ...LOCAL, tokenMs: 0 }, SETTINGS);
    expect(unknown.toTimeoutMs(90_000, { tokens: 500, spentMs })).toBe(timeoutMs);
  });
});
