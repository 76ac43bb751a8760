import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { CHAT, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { DOWN, FIRST, openFallbackChain } from './open-fallback-chain.ts';
import type { FallbackChain } from './open-fallback-chain.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { insertRecordOfKilledCall, openRecords } from './open-records.ts';
import type { Records } from './open-records.ts';

const ASKED = { ...PING, model: 'chain' };
/** Length of the proof id that the edge assigns to a call: `pf_` and 22 characters. */
const CLIENT_ID_LENGTH = 25;

describe.each(TRANSPORTS)('an idempotent call of a killed edge, services over %s', (transport) => {
  let chain: FallbackChain;
  let records: Records;
  let keys = 0;

  beforeAll(async () => {
    chain = await openFallbackChain({ transport });
    records = await openRecords(chain.system);
  });
  afterAll(async () => {
    await records[Symbol.asyncDispose]();
    await chain[Symbol.asyncDispose]();
  });

  const send = (key: string): Promise<Answer> =>
    chain.client.send(CHAT, {
      body: ASKED,
      headers: { 'x-api-key': chain.system.apiKey, 'idempotency-key': key },
    });
  /**
   * Makes a call and restores the idempotency record that an edge killed during the call would have
   * left. Returns the id of the call's certificate.
   */
  const makeAndLeave = async (key: string): Promise<string> => {
    const paid = await chain.client.send(CHAT, { body: ASKED });
    expect(paid.status).toBe(200);
    const proof = paid.headers.get('x-service-proof')!;
    // The id that the edge assigned to the call; attempts at fallback targets append a suffix to
    // it.
    const proofId = proof.length > CLIENT_ID_LENGTH ? proof.slice(0, CLIENT_ID_LENGTH) : proof;
    await insertRecordOfKilledCall(chain, records, { key, path: CHAT, body: ASKED, proofId });
    return proof;
  };
  const newKey = (): string => `crash ${(keys += 1)}`;

  it('is not charged again if a fallback answered it', async () => {
    await chain.setTargets(DOWN, FIRST);
    const key = newKey();
    const proof = await makeAndLeave(key);
    expect(proof.slice(CLIENT_ID_LENGTH)).toBe('f1');
    const [lost, asked] = await chain.callAndCountRequests(() => send(key));
    expect([lost.status, asked]).toEqual([409, [0, 0]]);
    expect(lost.text).toContain('idempotency_answer_lost');
    expect(lost.headers.get('x-service-proof')).toBe(proof);
  });

  it('is not charged again if the ledger is down at the first retry', async () => {
    await chain.setTargets(FIRST);
    const key = newKey();
    const proof = await makeAndLeave(key);
    const bringBack = await chain.system.interrupt('ledger');
    const [away, before] = await chain.callAndCountRequests(() => send(key));
    await bringBack();
    expect([away.status, before]).toEqual([503, [0, 0]]);
    // Retries until the edge has reconnected to the restarted ledger, which may take seconds.
    const retry = async (): Promise<Answer | undefined> => {
      const answer = await send(key);
      return answer.status === 503 ? undefined : answer;
    };
    const [lost, after] = await chain.callAndCountRequests(() => eventually(retry, 'the ledger'));
    expect([lost.status, after]).toEqual([409, [0, 0]]);
    expect(lost.headers.get('x-service-proof')).toBe(proof);
  });
});
