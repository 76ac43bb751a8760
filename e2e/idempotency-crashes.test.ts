import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { CHAT, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { DOWN, FIRST, openFallbackChain } from './open-fallback-chain.ts';
import type { FallbackChain } from './open-fallback-chain.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { insertRecordOfKilledCall, openRecords } from './open-records.ts';
import type { Records } from './open-records.ts';

const REQUEST = { ...PING, model: 'chain' };
/** Length of the proof id that the api-gateway assigns to a call: `pf_` and 22 characters. */
const CALL_ID_LENGTH = 25;

describe.each(TRANSPORTS)(
  'an idempotent call of a killed api-gateway, services over %s',
  (transport) => {
    let chain: FallbackChain;
    let records: Records;
    let keyCount = 0;

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
        body: REQUEST,
        headers: { 'x-api-key': chain.system.apiKey, 'idempotency-key': key },
      });
    /**
     * Makes a call and restores the idempotency record that an api-gateway killed during the call
     * would have left. Returns the id of the call's certificate.
     */
    const makeInterruptedCall = async (key: string): Promise<string> => {
      const answer = await chain.client.send(CHAT, { body: REQUEST });
      expect(answer.status).toBe(200);
      const certificateId = answer.headers.get('x-service-proof')!;
      // The id that the api-gateway assigned to the call; attempts at fallback targets append a
      // suffix to it.
      const proofId =
        certificateId.length > CALL_ID_LENGTH
          ? certificateId.slice(0, CALL_ID_LENGTH)
          : certificateId;
      await insertRecordOfKilledCall(chain, records, { key, path: CHAT, body: REQUEST, proofId });
      return certificateId;
    };
    const newKey = (): string => `crash ${(keyCount += 1)}`;

    it('is not charged again if a fallback answered it', async () => {
      await chain.setTargets(DOWN, FIRST);
      const key = newKey();
      const certificateId = await makeInterruptedCall(key);
      expect(certificateId.slice(CALL_ID_LENGTH)).toBe('f1');
      const [lostAnswer, counts] = await chain.callAndCountRequests(() => send(key));
      expect([lostAnswer.status, counts]).toEqual([409, [0, 0]]);
      expect(lostAnswer.text).toContain('idempotency_answer_lost');
      expect(lostAnswer.headers.get('x-service-proof')).toBe(certificateId);
    });

    it('is not charged again if the ledger is down at the first retry', async () => {
      await chain.setTargets(FIRST);
      const key = newKey();
      const certificateId = await makeInterruptedCall(key);
      const restart = await chain.system.interrupt('ledger');
      const [outageAnswer, countsBefore] = await chain.callAndCountRequests(() => send(key));
      await restart();
      expect([outageAnswer.status, countsBefore]).toEqual([503, [0, 0]]);
      // Retries until the api-gateway has reconnected to the restarted ledger, which may take
      // seconds.
      const retry = async (): Promise<Answer | undefined> => {
        const answer = await send(key);
        return answer.status === 503 ? undefined : answer;
      };
      const [lostAnswer, countsAfter] = await chain.callAndCountRequests(() =>
        eventually(retry, 'the ledger'),
      );
      expect([lostAnswer.status, countsAfter]).toEqual([409, [0, 0]]);
      expect(lostAnswer.headers.get('x-service-proof')).toBe(certificateId);
    });
  },
);
