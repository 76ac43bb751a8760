import { describe, expect, it } from '@jest/globals';
import { withDeadline } from './mcp-transport.ts';
import type { Send } from './mcp-transport.ts';

describe('withDeadline', () => {
  it('leaves each request what the ones before it did not take, and sends none after it', async () => {
    let now = 0;
    const timeouts: (number | undefined)[] = [];
    const slow: Send = async (_endpoint, _message, _caller, { timeoutMs }) => {
      timeouts.push(timeoutMs);
      now += 20;
      return { status: 200, response: undefined, sessionId: undefined };
    };
    const send = withDeadline(slow, 30, () => now);
    const endpoint = { serverId: 'mcs_1', url: '', headers: {}, protocolVersion: '' };
    const caller = { signal: new AbortController().signal };
    const ask = () =>
      send(endpoint, { method: 'tools/list', params: {} }, caller, { headers: {}, bytesMax: 1 });
    expect([await ask(), await ask(), await ask()]).toMatchObject([
      { status: 200 },
      { status: 200 },
      { failure: 'timeout' },
    ]);
    expect(timeouts).toEqual([30, 10]);
  });
});
