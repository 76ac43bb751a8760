import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { fileSize, longFiles, RATCHET } from './file-size.ts';

const makeLines = (count: number): string => '// line\n'.repeat(count);

describe('fileSize', () => {
  it('accepts 400 lines and refuses 401', () => {
    const tree = treeOf({
      'libs/a/src/fits.ts': makeLines(400),
      'libs/a/src/long.ts': makeLines(401),
    });
    expect(formatFindings(fileSize(tree))).toEqual([
      'libs/a/src/long.ts has 401 lines, the limit is 400: split it.',
    ]);
  });

  it('exempts generated code and data', () => {
    const tree = treeOf({
      'libs/a/src/gen/x_pb.ts': makeLines(900),
      'libs/a/table.json': makeLines(900),
    });
    expect(fileSize(tree)).toEqual([]);
  });

  it('allows a file of the ratchet to retain its size but not to grow', () => {
    const ratchet = JSON.stringify({ 'libs/a/src/kept.ts': 500, 'libs/a/src/grown.ts': 500 });
    const tree = treeOf({
      [RATCHET]: ratchet,
      'libs/a/src/kept.ts': makeLines(500),
      'libs/a/src/grown.ts': makeLines(501),
    });
    expect(formatFindings(fileSize(tree))).toEqual([
      'libs/a/src/grown.ts has 501 lines, the limit is 500: split it.',
    ]);
  });

  it('requires an update of the ratchet after a file shrank or was deleted', () => {
    const ratchet = JSON.stringify({ 'libs/a/src/shrunk.ts': 500, 'libs/a/src/gone.ts': 450 });
    const tree = treeOf({ [RATCHET]: ratchet, 'libs/a/src/shrunk.ts': makeLines(420) });
    expect(formatFindings(fileSize(tree))).toEqual([
      `${RATCHET} allows libs/a/src/shrunk.ts 500 lines, it has 420: lower its entry to 420.`,
      `${RATCHET} allows libs/a/src/gone.ts 450 lines, it has 0: remove its entry.`,
    ]);
  });
});

describe('longFiles', () => {
  it('lists files between warning and limit', () => {
    const tree = treeOf({ 'a.ts': makeLines(250), 'b.ts': makeLines(251), 'c.ts': makeLines(401) });
    expect(longFiles(tree).map(({ path }) => path)).toEqual(['b.ts']);
  });
});
