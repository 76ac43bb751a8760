import { describe, expect, it } from '@jest/globals';
import { openProgress } from './progress.mjs';

const run = (terminal: { isTTY?: boolean; columns?: number }): string => {
  let written = '';
  const progress = openProgress({ ...terminal, write: (text) => (written += text) });
  progress.show('installing 1 of 2 packages');
  progress.show('installing 1 of 2 packages');
  progress.show('starting');
  progress.end('done');
  progress.end();
  return written;
};

describe('openProgress', () => {
  it('writes a line for each new text where there is no terminal', () => {
    expect(run({})).toBe('witan: installing 1 of 2 packages\nwitan: starting\nwitan: done\n');
  });

  it('replaces its line at a terminal and leaves the last text', () => {
    const clear = '\r\u001B[K';
    expect(run({ isTTY: true, columns: 80 })).toBe(
      `${clear}witan: installing 1 of 2 packages${clear}witan: starting${clear}witan: done\n`,
    );
  });

  it('cuts a text that would wrap at a terminal', () => {
    expect(run({ isTTY: true, columns: 20 })).toContain('witan: installing 1\r');
  });
});
