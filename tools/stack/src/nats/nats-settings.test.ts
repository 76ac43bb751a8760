import { describe, expect, it } from '@jest/globals';
import { toNatsSettings } from './nats-settings.ts';

describe('toNatsSettings', () => {
  it.each([
    { name: '2.9, which refuses the setting', minor: 9, durable: true, syncs: false },
    { name: '2.10', minor: 10, durable: true, syncs: true },
    { name: '2.12 of a test', minor: 12, durable: false, syncs: false },
  ])('syncs every message: $name -> $syncs', ({ minor, durable, syncs }) => {
    const text = toNatsSettings({ version: { major: 2, minor }, password: undefined, durable });
    expect(text.includes('sync_interval: always')).toBe(syncs);
    expect(text).not.toContain('authorization');
  });
});
