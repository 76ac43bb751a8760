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
    expect(Object.fromEntries(found.stages)).toEqual({ express: 100 });
    expect([...found.functions.keys()]).toContain('writev native  [node:streams]');
  });

  it('counts packages and Node for the folder of ours that calls them', () => {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(root)', ''), children: [2] },
        { id: 2, callFrame: frame('onread', 'node:internal/stream_base_commons'), children: [3] },
        {
          id: 3,
          callFrame: frame('send', 'file:///x/apps/llm-gateway/src/provider/clients/send.ts'),
          children: [4],
        },
        { id: 4, callFrame: frame('write', 'file:///x/node_modules/undici/lib/client.js') },
      ],
      startTime: 0,
      samples: [2, 4, 3, 2],
      timeDeltas: [0, 10, 10, 10],
    };

    const { stages } = attributeSamples(profile, { from: 0, to: 25 });

    const expected = { 'node:stream_base_commons': 10, 'apps/llm-gateway/src/provider': 20 };
    expect(Object.fromEntries(stages)).toEqual(expected);
  });
});
