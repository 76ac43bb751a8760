import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountService, CertificateService, LedgerService } from '@witan/contracts/services';
import { createClient, createInProcessTransport, newId } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
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

  const connectAs = (caller: string): Transport =>
    createInProcessTransport({ caller, dispatcher: () => ledger.service.dispatcher });

  it('may read and credit as the api-gateway', async () => {
    const accounts = createClient(AccountService, connectAs('api-gateway'));
    expect(await accounts.getBalance({}, optionsFor(newId('ws')))).toMatchObject({ balance: {} });
  });

  it('may not write as the api-gateway', async () => {
    const writes = createClient(LedgerService, connectAs('api-gateway')).write(noBatches(), {});
    const first = writes[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ reason: 'CALLER_REFUSED' });
  });

  it.each(['llm-gateway', 'simulation', 'notifier', 'ledger', 'stranger', 'constructor', ''])(
    'may not call accounts or certificates as "%s", and nothing is written',
    async (caller) => {
      const workspaceId = newId('ws');
      const accounts = createClient(AccountService, connectAs(caller));
      const certificates = createClient(CertificateService, connectAs(caller));
      const credit = { entryId: newId('ent'), amount: 5n, reason: '' };
      const calls = [
        accounts.getBalance({}, optionsFor(workspaceId)),
        accounts.listEntries({ limit: 1, cursor: '' }, optionsFor(workspaceId)),
        accounts.credit(credit, optionsFor(workspaceId)),
        certificates.listCertificates({ fromIndex: 0, limit: 1 }, optionsFor(workspaceId)),
      ];
      for (const call of calls) {
        await expect(call).rejects.toMatchObject({ reason: 'CALLER_REFUSED' });
      }
      const { balance } = await ledger.accounts.getBalance({}, optionsFor(workspaceId));
      expect(balance).toMatchObject({ posted: 0n, held: 0n });
    },
  );
});

async function* noBatches(): AsyncGenerator<never> {}
