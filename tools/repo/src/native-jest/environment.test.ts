import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import timers from 'node:timers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runningFile } from './running-file.ts';

describe('fake timers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it("are counted without undici's clock, which other files may have started", async () => {
    const server = createServer((_request, response) => void response.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Opening a connection starts the timer of undici's clock.
    const { port } = server.address() as AddressInfo;
    await (await fetch(`http://127.0.0.1:${port}`)).text();
    server.closeAllConnections();
    server.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are counted without timers of other files', () => {
    runningFile.exit(() => setTimeout(() => {}, 500));
    runningFile.run('another file', () => setInterval(() => {}, 500));
    runningFile.exit(() => timers.setTimeout(() => {}, 500));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are counted until they fire or are cleared', () => {
    const timer = setTimeout(() => {}, 500);
    setTimeout(() => {}, 1_000);
    expect(jest.getTimerCount()).toBe(2);
    clearTimeout(timer);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
