import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountService, CertificateService, LedgerService } from '@witan/contracts/services';
import { createClient, createInProcessTransport, newId } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';
import { as, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

describe('a caller of the ledger', () => {
  let fixture: LedgerFixture;
  let ledger: TestLedger;

  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
  });
  afterAll(async () => {
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const callAs = (caller: string): Transport =>
    createInProcessTransport({ caller, dispatcher: () => ledger.service.dispatcher });

  it('may read and credit as the api-gateway', async () => {
    const accounts = createClient(AccountService, callAs('api-gateway'));
    expect(await accounts.getBalance({}, as(newId('ws')))).toMatchObject({ balance: {} });
  });

  it('may not write as the api-gateway', async () => {
    const writes = createClient(LedgerService, callAs('api-gateway')).write(nothing(), {});
    const first = writes[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ reason: 'CALLER_REFUSED' });
  });

  it.each(['llm-gateway', 'simulation', 'notifier', 'ledger', 'stranger', 'constructor', ''])(
    'may not call accounts or certificates as "%s", and nothing is written',
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

async function* nothing(): AsyncGenerator<never> {}
