import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePolicy, verifyBundle } from '@witan/proof';
import { createNoteKey, formatNoteKey } from '@witan/proof/tlog/note';
import { createWitness, serveWitness } from '@witan/testing';
import type { TestWitness } from '@witan/testing';
import { PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const ORIGIN = 'log.witan.test/e2e';

describe.each(TRANSPORTS)('witnesses over HTTP, services over %s', (transport) => {
  let folder: string;
  let fixture: Fixture;
  let witnesses: TestWitness[];
  const servers: AsyncDisposable[] = [];
  let policy: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-witnesses-'));
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const keyFile = join(folder, 'log.pem');
    await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const key = createNoteKey({ name: ORIGIN, type: 1, key: new Uint8Array(raw) });
    const vkey = formatNoteKey(key);
    witnesses = ['a', 'b', 'c'].map((name) =>
      createWitness({ name: `${name}.witness.test`, logs: () => [vkey] }),
    );
    const lines = [`log ${vkey}`];
    for (const [i, witness] of witnesses.entries()) {
      const server = await serveWitness(witness);
      servers.push(server);
      lines.push(`witness w${i} ${witness.vkey} ${server.url}`);
    }
    policy = [...lines, 'group two 2 w0 w1 w2', 'quorum two', ''].join('\n');
    const policyFile = join(folder, 'policy.txt');
    await writeFile(policyFile, policy);
    fixture = await openFixture({
      transport,
      env: {
        WITAN_LOG_KEY_FILE: keyFile,
        WITAN_LOG_ORIGIN: ORIGIN,
        WITAN_LOG_POLICY_FILE: policyFile,
        WITAN_LOG_ANCHOR_FILE: join(folder, 'anchor'),
        WITAN_LOG_INTERVAL_MS: '200',
        WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      },
    });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    for (const server of servers) await server[Symbol.asyncDispose]();
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
    const options = { withinMs: 60_000 };
    const verified = verifyBundle(await bundleOfCall(), parsePolicy(policy), options);
    expect(verified.witnesses).toHaveLength(3);
    const { json } = await fixture.client.send('/v1/log', { headers: {} });
    expect(json).toMatchObject({ origin: ORIGIN, policy, witnessed: true });
    expect(witnesses[0]!.seen()!.size).toBeGreaterThan(0);
  });

  it('may be away, one of three', async () => {
    witnesses[2]!.setFailure('frozen');
    const verified = verifyBundle(await bundleOfCall(), parsePolicy(policy));
    expect(verified.witnesses.map(({ name }) => name)).toEqual(['w0', 'w1']);
    witnesses[2]!.setFailure(undefined);
    expect(verifyBundle(await bundleOfCall(), parsePolicy(policy)).witnesses).toHaveLength(3);
  });
});
