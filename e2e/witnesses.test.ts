import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePolicy, verifyBundle } from '@witan/proof';
import { PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openWitnesses } from './open-witnesses.ts';
import type { Witnesses } from './open-witnesses.ts';

const ORIGIN = 'log.witan.test/e2e';

describe.each(TRANSPORTS)('witnesses over HTTP, services over %s', (transport) => {
  let folder: string;
  let fixture: Fixture;
  let opened: Witnesses;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-witnesses-'));
    opened = await openWitnesses(folder, ORIGIN);
    fixture = await openFixture({ transport, env: opened.env });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const bundleOfCall = async (): Promise<string> => {
    const { headers } = await fixture.client.complete(PING);
    const authorization = { authorization: `Bearer ${fixture.system.apiKey}` };
    const path = `/v1/proofs/${headers.get('x-service-proof')}/bundle`;
    const { text, status } = await fixture.client.send(path, {
      headers: { ...authorization, prefer: 'wait=20' },
    });
    expect(status).toBe(200);
    return text;
  };

  it('make every bundle witnessed, within the time that a verifier asks for', async () => {
    const { policy, witnesses } = opened;
    const options = { withinMs: 60_000 };
    const verified = verifyBundle(await bundleOfCall(), parsePolicy(policy), options);
    expect(verified.witnesses).toHaveLength(3);
    const { json } = await fixture.client.send('/v1/log', { headers: {} });
    expect(json).toMatchObject({ origin: ORIGIN, policy, witnessed: true });
    expect(witnesses[0]!.seen()!.size).toBeGreaterThan(0);
  });

  it('may be away, one of three', async () => {
    const { policy, witnesses } = opened;
    witnesses[2]!.setFailure('frozen');
    const verified = verifyBundle(await bundleOfCall(), parsePolicy(policy));
    expect(verified.witnesses.map(({ name }) => name)).toEqual(['w0', 'w1']);
    witnesses[2]!.setFailure(undefined);
    expect(verifyBundle(await bundleOfCall(), parsePolicy(policy)).witnesses).toHaveLength(3);
  });
});
