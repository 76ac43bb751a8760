import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { genesisHash, parsePublicKeys, verifyChain, verifyChainDocument } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import { createHttpClient, PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const CALLS = 60;

describe.each(TRANSPORTS)('the chain of a workspace, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let publicKeys: PublicKeys;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    const calls = Array.from({ length: CALLS }, (_, index) =>
      fixture.client.complete({ ...PING, stream: index % 2 === 0 }),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    const { text } = await fixture.client.send('/v1/gateway/public-key', { headers: {} });
    publicKeys = parsePublicKeys(text);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const expectedResult = () => ({
    workspaceId: fixture.system.workspaceId,
    issuer: 'witan',
    count: CALLS,
    head: expect.stringMatching(/^[0-9a-f]{64}$/),
    keySource: 'given',
  });

  it('contains each of many concurrent calls once, and its export verifies', async () => {
    const { text, headers } = await fixture.client.send('/v1/proofs/export');
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const options = { keys: publicKeys, expectedCount: CALLS };
    expect(await verifyChain(text.split('\n'), options)).toEqual(expectedResult());
    const ids = (await fixture.client.listCertificates()).map(({ payload }) => payload.id);
    expect(new Set(ids).size).toBe(CALLS);
  });

  it('is also exported as one JSON document', async () => {
    const { text, headers } = await fixture.client.send('/v1/proofs/export?format=json');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(verifyChainDocument(text, { keys: publicKeys })).toEqual(expectedResult());
  });

  it('reveals a removed certificate', async () => {
    const { text } = await fixture.client.send('/v1/proofs/export');
    const lines = text.split('\n').filter((_, index) => index !== 7);
    await expect(verifyChain(lines, { keys: publicKeys })).rejects.toMatchObject({
      reason: 'hole',
      index: 6,
    });
  });

  it('is listed in pages, in order', async () => {
    const listIndexes = async (query: string): Promise<number[]> => {
      const { json } = await fixture.client.send(`/v1/proofs${query}`);
      const { proofs } = json as { proofs: { payload: { chainIndex: number } }[] };
      return proofs.map(({ payload }) => payload.chainIndex);
    };
    const allIndexes = Array.from({ length: CALLS }, (_, index) => index);
    expect(await listIndexes('')).toEqual(allIndexes);
    expect(await listIndexes('?limit=3')).toEqual([0, 1, 2]);
    expect(await listIndexes('?fromIndex=58&limit=10')).toEqual([58, 59]);
    expect(await listIndexes('?fromIndex=1000')).toEqual([]);
  });

  it('is checked by the server, one certificate at a time', async () => {
    for (const { payload } of (await fixture.client.listCertificates()).slice(0, 2)) {
      const { status, json } = await fixture.client.send(`/v1/proofs/${payload.id}/verify`);
      expect(status).toBe(200);
      expect(json).toEqual({
        valid: true,
        certificateId: payload.id,
        checks: { payloadHash: { ok: true }, signature: { ok: true }, chain: { ok: true } },
        keyId: publicKeys[0]!.keyId,
        verifiedAt: expect.stringMatching(/Z$/),
      });
    }
  });

  it('is verified with a public key that is fetched without a key and cacheable', async () => {
    const { status, json, headers } = await fixture.client.send('/v1/gateway/public-key', {
      headers: {},
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    const { keyId, publicKey, publicKeyRaw } = json as Record<string, string>;
    expect(json).toMatchObject({
      algorithm: 'Ed25519',
      keys: [{ keyId, publicKey, notAfter: null }],
    });
    expect(Buffer.from(publicKeyRaw!, 'base64')).toHaveLength(32);
  });

  describe('of another workspace', () => {
    let otherClient: HttpClient;
    let workspaceId: string;

    beforeAll(async () => {
      const key = await keys.makeKey();
      otherClient = createHttpClient(key);
      ({ workspaceId } = key);
    });

    it('is separate, with its own genesis', async () => {
      expect(await otherClient.listCertificates()).toEqual([]);
      expect((await otherClient.complete(PING)).status).toBe(200);
      const { text } = await otherClient.send('/v1/proofs/export');
      const result = await verifyChain(text.split('\n'), { keys: publicKeys });
      expect(result).toMatchObject({ workspaceId, count: 1 });
      const [first] = await otherClient.listCertificates();
      expect(first?.payload).toMatchObject({
        chainIndex: 0,
        prevHash: genesisHash('witan', workspaceId),
      });
    });

    it.each(['', '/verify'])('hides its certificates: GET /v1/proofs/{id}%s', async (path) => {
      const [ownCertificate] = await fixture.client.listCertificates();
      const foreignAnswer = await otherClient.send(
        `/v1/proofs/${ownCertificate!.payload.id}${path}`,
      );
      const unknownAnswer = await otherClient.send(`/v1/proofs/pf_0000000000000000000000${path}`);
      expect(foreignAnswer.status).toBe(404);
      const { error } = foreignAnswer.json as { error: { requestId: string } };
      expect(error).toEqual({
        ...(unknownAnswer.json as { error: object }).error,
        requestId: error.requestId,
      });
    });
  });
});
