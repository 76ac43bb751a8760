import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSecretCipher } from '@witan/service-kit';
import type { McpCall } from './mcp-method.ts';
import { createRequestStates, STATE_TTL_MS } from './request-state.ts';

const callOf = (keyId: string, message: string): McpCall =>
  ({
    params: { name: 'ask_agent', arguments: { message } },
    call: { principal: { keyId, workspaceId: 'ws_1' } },
  }) as unknown as McpCall;

describe('the state of a request that waits for input', () => {
  let now = 1_000;
  const cipher = createSecretCipher(randomBytes(32).toString('base64'));
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${(count += 1)}`;
  const states = createRequestStates(cipher, { clock: () => new Date(now), newId });
  const call = callOf('key_1', 'Hello?');
  const state = states.create(call);
  const alter = (text: string): string =>
    `${text.slice(0, -4)}${text.at(-4) === 'A' ? 'B' : 'A'}${text.slice(-3)}`;

  it('is valid for the same key and request', () => {
    expect(() => states.verify(state, call)).not.toThrow();
    expect(state).not.toContain('key_1');
  });

  it('has one idempotency key, which no other state has', () => {
    const key = states.verify(state, call);
    expect(states.verify(state, call)).toBe(key);
    expect(states.verify(states.create(call), call)).not.toBe(key);
  });

  it.each<[string, unknown, McpCall]>([
    ['altered', alter(state), call],
    ['not a text', 5, call],
    ['made up', 'v1.AAAA', call],
    ['presented by another key', state, callOf('key_2', 'Hello?')],
    ['replayed with another request', state, callOf('key_1', 'Wire the money.')],
  ])('is refused if it is %s', (_name, presented, presenting) => {
    expect(() => states.verify(presented, presenting)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining('begin again') }),
    );
  });

  it('expires', () => {
    now += STATE_TTL_MS;
    expect(() => states.verify(state, call)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining('expired') }),
    );
  });
});
