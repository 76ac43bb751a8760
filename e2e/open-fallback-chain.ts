import { expect } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { openClosedPort, openScriptedProvider } from '@witan/testing';
import type { ClosedPort, ScriptedProvider, TestSystemOptions } from '@witan/testing';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/** A target of a model alias, as in `PUT /v1/workspace`. */
export type Target = { provider: string; model: string; weight?: number };

/**
 * A system whose workspace has three providers of its own: `first`, `second`, and the unreachable
 * `down`.
 */
export type FallbackChain = Fixture & {
  /** A provider with the chat-completions dialect. */
  first: ScriptedProvider;
  /** A provider with the messages dialect. */
  second: ScriptedProvider;
  /** Port of the provider `down`. */
  closedPort: ClosedPort;
  /** Sets the workspace's providers again, which resets their circuit breakers. */
  putProviders: () => Promise<void>;
  /** Sets the targets of the workspace's only model alias, `chain`. */
  setTargets: (...targets: Target[]) => Promise<void>;
  /**
   * Makes a call; returns its response and the certificates that were written meanwhile, in order.
   */
  callAndListCertificates: (
    call: () => Promise<Answer>,
  ) => Promise<[Answer, Certificate['payload'][]]>;
  /**
   * Makes a call; returns its result and the numbers of requests that `first` and `second` received
   * meanwhile.
   */
  callAndCountRequests: <T>(call: () => Promise<T>) => Promise<[T, [number, number]]>;
};

export const FIRST: Target = { provider: 'first', model: 'model-of-first' };
export const SECOND: Target = { provider: 'second', model: 'model-of-second' };
export const DOWN: Target = { provider: 'down', model: 'model-of-down' };

/** Starts a system whose workspace may use these three providers on loopback. */
export const openFallbackChain = async (options: TestSystemOptions): Promise<FallbackChain> => {
  const [first, second] = [await openScriptedProvider(), await openScriptedProvider()];
  const closedPort = await openClosedPort();
  const ports = [first.port, second.port, closedPort.port];
  const opened = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const env = { WITAN_ALLOW_PRIVATE_TARGETS: opened, ...options.env };
  const fixture = await openFixture({ ...options, env });
  const { client } = fixture;
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await client.send(path, { method: 'PUT', body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  };
  const apiKey = 'sk-own';
  const putProviders = (): Promise<void> =>
    put('/v1/workspace/providers', {
      providers: [
        { name: 'first', baseUrl: first.baseUrl, apiKey },
        { name: 'second', dialect: 'messages', baseUrl: second.anthropicBaseUrl, apiKey },
        { name: 'down', baseUrl: `http://127.0.0.1:${closedPort.port}/v1`, apiKey },
      ],
    });
  await putProviders();
  const calls = (): [number, number] => [first.requests.length, second.requests.length];
  return {
    ...fixture,
    first,
    second,
    closedPort,
    putProviders,
    setTargets: (...targets) => put('/v1/workspace', { aliases: { chain: { targets } } }),
    callAndListCertificates: async (call) => {
      const before = (await client.listCertificates()).length;
      const answer = await call();
      const after = (await client.listCertificates()).slice(before);
      return [answer, after.map(({ payload }) => payload)];
    },
    callAndCountRequests: async (call) => {
      const before = calls();
      const result = await call();
      const after = calls();
      return [result, [after[0] - before[0], after[1] - before[1]]];
    },
    [Symbol.asyncDispose]: async () => {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      await closedPort[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
};
