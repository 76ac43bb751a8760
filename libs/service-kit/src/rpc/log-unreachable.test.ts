import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { createLog } from '../log/create-log.ts';
import { createUnreachableLog } from './log-unreachable.ts';

describe('createUnreachableLog', () => {
  it('names the service, and logs at most one line in 30 s', () => {
    const lines: unknown[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line));
    const log = createLog({ service: 'agents', level: 'warn', destination: { write } });
    let nowMs = 0;
    const onUnreachable = createUnreachableLog({ log, callee: 'llm-gateway', now: () => nowMs });
    for (const atMs of [0, 10, 29_999, 30_000, 59_999]) {
      nowMs = atMs;
      onUnreachable(unavailable('Not reachable.', new Error('getaddrinfo ENOTFOUND llm-gateway')));
    }
    const cause = { message: 'getaddrinfo ENOTFOUND llm-gateway' };
    const line = { event: 'callee_unreachable', callee: 'llm-gateway', err: { cause } };
    expect(lines).toMatchObject([
      { ...line, unloggedCalls: 0 },
      { ...line, unloggedCalls: 2 },
    ]);
  });
});
