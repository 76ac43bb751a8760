import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountService, CertificateService } from '@witan/contracts/services';
import { createClient, createInProcessTransport, newId } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';
import { as, openLedger, openLedgerPlace } from './open-ledger.ts';
import type { LedgerPlace, TestLedger } from './open-ledger.ts';

describe('a caller of the ledger', () => {
  let place: LedgerPlace;
  let ledger: TestLedger;

  beforeAll(async () => {
    place = await openLedgerPlace();
    ledger = await openLedger(place, { signingKeyFile: await place.newKeyFile() });
  });
  afterAll(async () => {
    await ledger[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const callAs = (caller: string): Transport =>
    createInProcessTransport({ caller, dispatcher: () => ledger.service.dispatcher });

  it.each(['api-gateway', 'llm-gateway'])('that is the %s is served', async (caller) => {
    const accounts = createClient(AccountService, callAs(caller));
    expect(await accounts.getBalance({}, as(newId('ws')))).toMatchObject({ balance: {} });
  });

  it.each(['simulation', 'notifier', 'ledger', 'stranger', ''])(
    'that is "%s", whom the call graph does not list, is refused, and nothing is written',
    async (caller) => {
      const workspaceId = newId('ws');
      const accounts = createClient(AccountService, callAs(caller));
      const certificates = createClient(CertificateService, callAs(caller));
      const credit = { entryId: newId('ent'), amount: 5n, reason: '' };
      const calls = [
        accounts.getBalance({}, as(workspaceId)),
        accounts.listEntries({ limit: 1, cursor: '' }, as(workspaceId)),
        accounts.credit(credit, as(workspaceId)),
        certificates.listCertificates({ fromIndex: 0, limit: 1 }, as(workspaceId)),
      ];
      for (const call of calls) {
        await expect(call).rejects.toMatchObject({ reason: 'CALLER_REFUSED' });
      }
      const { balance } = await ledger.accounts.getBalance({}, as(workspaceId));
      expect(balance).toMatchObject({ posted: 0n, held: 0n });
    },
  );
});
