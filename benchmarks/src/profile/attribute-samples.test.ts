import { describe, expect, it } from '@jest/globals';
import { attributeSamples } from './attribute-samples.ts';

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });

describe('attributeSamples', () => {
  it('sums busy time inside the window, by part and by owner', () => {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(root)', ''), children: [2, 3] },
        { id: 2, callFrame: frame('(idle)', '') },
        {
          id: 3,
          callFrame: frame('run', 'file:///x/node_modules/express/lib/a.js'),
          children: [4],
        },
        { id: 4, callFrame: frame('write', 'node:internal/streams/writable'), children: [5] },
        { id: 5, callFrame: frame('writev', '') },
      ],
      startTime: 1000,
      samples: [3, 5, 2, 4, 3],
      timeDeltas: [0, 10, 20, 40, 80],
    };

    const found = attributeSamples(profile, { from: 1005, to: 1075 });

    // The sample at 1010 lasts 20 µs, the idle one at 1030 does not count, and the one at 1070
    // lasts 80 µs.
    expect(found.busyMicros).toBe(100);
    expect(Object.fromEntries(found.parts)).toEqual({ 'node:streams': 100 });
    expect(Object.fromEntries(found.owners)).toEqual({ express: 100 });
    expect([...found.functions.keys()]).toContain('writev native  [node:streams]');
  });
});
