import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { conflict, isServiceError, unavailable } from '@witan/contracts';
import { createLog } from '@witan/service-kit';
import type {
  Claim,
  ClaimResult,
  IdempotencyRecords,
  StoredResponse,
} from '../idempotency/records.ts';
import type { Limits } from './limits.ts';
import { createRunOnce } from './run-once.ts';
import type { Respond } from './run-once.ts';
import { runCall } from './run-route.ts';
import type { Reply, Route, RouteCall } from '../http/route.ts';

const closeFunctions: (() => void)[] = [];
afterEach(() => closeFunctions.splice(0).forEach((close) => close()));

type HarnessOptions = {
  claimed?: ClaimResult;
  handle?: (call: RouteCall) => Promise<Reply | undefined>;
  finish?: (response: StoredResponse) => Promise<boolean>;
  isCertified?: () => Promise<boolean>;
  surface?: Route['surface'];
  onExtended?: () => void;
};

const CLAIM: Claim = {
  workspaceId: 'ws_a',
  key: 'k',
  claimId: 'idm_1',
  proofId: 'pf_1',
  isFresh: true,
};
const OK_REPLY: Reply = { status: 200, json: { good: true } };

const open = async (harness: HarnessOptions) => {
  const calls: string[] = [];
  const leases: number[] = [];
  const extended: [string, number][] = [];
  const records: IdempotencyRecords = {
    claim: async ({ leaseMs }) => {
      leases.push(leaseMs);
      return harness.claimed ?? { kind: 'claimed', claim: CLAIM };
    },
    finish: async (_claim, response) => {
      calls.push(`finish ${response.status}`);
      return (await harness.finish?.(response)) ?? true;
    },
    markLost: async () => void calls.push('lose'),
    discard: async () => void calls.push('discard'),
    release: async () => void calls.push('release'),
    extend: async (claims, leaseMs) => {
      extended.push([claims.map(({ key }) => key).join(), leaseMs]);
      harness.onExtended?.();
    },
    deleteExpired: async () => 0,
  };
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { runOnce, stop } = createRunOnce({
    records,
    isCertified: harness.isCertified ?? (async () => false),
    newId: (prefix) => `${prefix}_new`,
    leaseMs: 1_000,
    heartbeatMs: 10,
    log: createLog({ service: 'test', level: 'debug', destination }),
  });
  const handle = harness.handle ?? (async () => OK_REPLY);
  const { surface = 'native' } = harness;
  const route = { surface, idempotent: true, handle } as unknown as Route;
  const app = express();
  app.post('/', (request, response) => {
    const respond: Respond = async (work) => {
      try {
        const reply = await work();
        if (reply && 'json' in reply) response.status(reply.status).json(reply.json);
      } catch (error) {
        const failure = isServiceError(error) ? error : unavailable('A bug.');
        const { reason, fields } = failure;
        const status = reason === 'CONFLICT' ? 409 : 503;
        if (fields.proof) response.setHeader('x-service-proof', fields.proof);
        response.status(status).json({ reason, ...fields });
      }
    };
    const principal = { workspaceId: 'ws_a', keyId: 'key_1' };
    const call = { request, response, source: Buffer.from('{}'), principal, body: {} };
    const edge = { runOnce, limits: {} as Limits };
    void respond(() => runCall(route, call as unknown as RouteCall, edge, respond));
  });
  const server = createServer(app);
  closeFunctions.push(() => server.close());
  closeFunctions.push(() => server.closeAllConnections());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const send = async (headers: Record<string, string> = { 'idempotency-key': 'k' }) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  return { send, calls, lines, stop, leases, extended };
};

describe('a call with an Idempotency-Key', () => {
  it('gets its response after it was stored', async () => {
    const harness = await open({
      finish: async () => {
        harness.calls.push('stored');
        return true;
      },
    });
    expect(await harness.send()).toEqual({ status: 200, json: { good: true } });
    expect(harness.calls).toEqual(['finish 200', 'stored']);
  });

  it('gets its response even if storing failed, because it was paid for', async () => {
    const harness = await open({ finish: () => Promise.reject(new Error('disk full')) });
    expect(await harness.send()).toEqual({ status: 200, json: { good: true } });
    expect(harness.lines.join('')).toContain('disk full');
  });

  it('gets its response even if its lease expired, which is logged', async () => {
    const harness = await open({ finish: async () => false });
    expect((await harness.send()).status).toBe(200);
    expect(harness.lines.join('')).toContain('"event":"idempotency_claim_lost"');
  });

  it('runs under the proof id of its claim', async () => {
    const seen: (string | undefined)[] = [];
    const handle = async ({ proofId }: RouteCall): Promise<Reply> => {
      seen.push(proofId);
      return OK_REPLY;
    };
    const harness = await open({ handle });
    await harness.send();
    await harness.send({});
    expect(seen).toEqual(['pf_1', undefined]);
  });

  it('has a short lease in a dialect, which is prolonged while it runs', async () => {
    const done = Promise.withResolvers<void>();
    let beats = 0;
    const onExtended = (): void => {
      beats += 1;
      if (beats === 3) done.resolve();
    };
    const handle = async () => {
      await done.promise;
      return OK_REPLY;
    };
    const { send, leases, extended, stop } = await open({
      ...{ surface: 'chat-completions', handle, onExtended },
    });
    expect(await send()).toMatchObject({ status: 200 });
    await stop();
    expect(leases).toEqual([40]);
    expect(extended).toContainEqual([CLAIM.key, 40]);
  });

  it('has the whole lease in the native API, because a repetition could have a second effect', async () => {
    const { send, leases, extended, stop } = await open({});
    await send();
    await stop();
    expect(leases).toEqual([1_000]);
    expect(extended.filter(([key]) => key !== '')).toEqual([]);
  });

  it('does not use the records if it has no key', async () => {
    const harness = await open({});
    expect((await harness.send({})).status).toBe(200);
    expect(harness.calls).toEqual([]);
  });

  it.each<[string, HarnessOptions, string[], object]>([
    [
      'after a failure with an unknown outcome, the next call uses the same proof id',
      { handle: () => Promise.reject(unavailable('Down.')) },
      ['release'],
      { reason: 'UNAVAILABLE' },
    ],
    [
      'a failure before anything was sent discards the record',
      { handle: () => Promise.reject(conflict('No room.', { unsent: 'true' })) },
      ['discard'],
      { reason: 'CONFLICT', unsent: 'true' },
    ],
    [
      'a failure before anything was sent does not discard an earlier attempt',
      {
        claimed: { kind: 'claimed', claim: { ...CLAIM, isFresh: false } },
        handle: () => Promise.reject(conflict('No room.', { unsent: 'true' })),
      },
      ['release'],
      { reason: 'CONFLICT', unsent: 'true' },
    ],
    [
      'a failure that names its certificate discards the record',
      { handle: () => Promise.reject(conflict('Cut.', { proof: 'pf_1' })) },
      ['discard'],
      { reason: 'CONFLICT', proof: 'pf_1' },
    ],
    [
      'a proof id that is settled means that the response is lost',
      {
        handle: () =>
          Promise.reject(conflict('Used.', { code: 'proof_id_settled', proof: 'pf_1f1' })),
      },
      ['finish 409'],
      { reason: 'CONFLICT', code: 'idempotency_answer_lost', proof: 'pf_1f1' },
    ],
    [
      'a proof id that was released means that nothing was sent',
      { handle: () => Promise.reject(conflict('Used.', { code: 'proof_id_released' })) },
      ['discard'],
      { reason: 'CONFLICT', code: 'proof_id_released' },
    ],
    [
      'a proof id that is open means that an earlier attempt may still run',
      {
        handle: () => Promise.reject(conflict('Used.', { code: 'proof_id_open', unsent: 'true' })),
      },
      ['release'],
      { reason: 'CONFLICT', code: 'idempotency_in_progress', retryAfter: '1' },
    ],
    [
      'a response that cannot be decrypted is lost',
      { claimed: { kind: 'unreadable', proofId: 'pf_1' }, isCertified: async () => true },
      [],
      { reason: 'CONFLICT', code: 'idempotency_answer_lost', proof: 'pf_1' },
    ],
    [
      'a lost response without a certificate names none',
      { claimed: { kind: 'unreadable', proofId: 'pf_1' } },
      [],
      { reason: 'CONFLICT', code: 'idempotency_answer_lost' },
    ],
  ])('is handled by rule: %s', async (_name, parts, calls, json) => {
    const harness = await open(parts);
    expect((await harness.send()).json).toEqual(json);
    expect(harness.calls).toEqual(calls);
  });

  it('delays the stop of the service', async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const started = Promise.withResolvers<void>();
    const harness = await open({
      handle: () => {
        started.resolve();
        return promise;
      },
    });
    const response = harness.send();
    await started.promise;
    const stopped = harness.stop().then(() => harness.calls.push('stopped'));
    resolve(OK_REPLY);
    await stopped;
    expect((await response).status).toBe(200);
    expect(harness.calls).toEqual(['finish 200', 'stopped']);
  });
});
