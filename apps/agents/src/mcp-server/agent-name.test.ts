import { describe, expect, it } from '@jest/globals';
import { toAgentName } from './agent-name.ts';

describe('toAgentName', () => {
  it.each([
    ['read-file', [], 'desk__read_file'],
    ['read.file', ['desk__read_file'], /^desk__read_file_[0-9a-f]{8}$/],
    ['x'.repeat(90), [], `desk__${'x'.repeat(58)}`],
    ['x'.repeat(91), [`desk__${'x'.repeat(58)}`], /^desk__x{49}_[0-9a-f]{8}$/],
    [
      'read.file',
      ['desk__read_file', 'desk__read_file_dd32cdf5'],
      /^desk__read_file_(?!dd32cdf5)[0-9a-f]{8}$/,
    ],
  ])('of %j beside %j is a name of at most 64 characters', (toolName, taken, expected) => {
    const name = toAgentName({ serverName: 'desk', toolName }, new Set(taken));
    expect(name).toMatch(expected);
    expect(name.length).toBeLessThanOrEqual(64);
  });
});
