import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/contracts';
import { genesisHash } from '@witan/proof';
import { newId } from '@witan/service-kit';
import { Client } from 'pg';
import { certifyOne, makeDraft } from './drafts.ts';
import { optionsFor, ISSUER, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, verifyExport } from './read-chain.ts';

let fixture: LedgerFixture;
let ledger: TestLedger;
let admin: Client;
beforeAll(async () => {
  fixture = await openLedgerFixture();
  ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
  admin = new Client({ connectionString: fixture.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await ledger[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const appendMany = async (workspaceId: string, count: number): Promise<Certificate[]> => {
  const drafts = Array.from({ length: count }, () => makeDraft());
  const signed = drafts.map((draft) => certifyOne(ledger.writer, workspaceId, draft));
  const indexOf = ({ payload }: Certificate): number =>
    (JSON.parse(payload) as { chainIndex: number }).chainIndex;
  return (await Promise.all(signed)).toSorted((a, b) => indexOf(a) - indexOf(b));
};
const idOf = ({ payload }: Certificate): string => (JSON.parse(payload) as { id: string }).id;

describe('listing certificates', () => {
  it('returns a range of the chain, in order', async () => {
    const workspaceId = newId('ws');
    const all = await appendMany(workspaceId, 12);
    const list = async (fromIndex: number, limit: number) =>
      (await ledger.certificates.listCertificates({ fromIndex, limit }, optionsFor(workspaceId)))
        .certificates;
    expect(await list(0, 500)).toEqual(all);
    expect(await list(3, 4)).toEqual(all.slice(3, 7));
    expect(await list(11, 4)).toEqual(all.slice(11));
    expect(await list(12, 4)).toEqual([]);
  });

  it.each([0, 501])('refuses a limit of %i', async (limit) => {
    const call = ledger.certificates.listCertificates(
      { fromIndex: 0, limit },
      optionsFor(newId('ws')),
    );
    await expect(call).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'limit' },
    });
  });
});

describe('exporting a chain', () => {
  it('returns the header and every certificate, beyond one page', async () => {
    const workspaceId = newId('ws');
    const all = await appendMany(workspaceId, 450);
    const { header, certificates } = await exportChain(ledger.certificates, workspaceId);
    expect(header).toMatchObject({
      workspaceId,
      issuer: ISSUER,
      genesis: genesisHash(ISSUER, workspaceId),
    });
    expect(certificates).toEqual(all);
  });

  it('returns a header alone for a workspace without certificates', async () => {
    const chain = await exportChain(ledger.certificates, newId('ws'));
    expect(chain.header.keys).toHaveLength(1);
    expect(verifyExport(chain).count).toBe(0);
  });
});

type Tamper = { name: string; change: string; failing: readonly string[]; proofReason: string };

const inPayload = (from: string, to: string): string =>
  `payload = replace(payload, '${from}', '${to}')`;

const TAMPER_CASES: readonly Tamper[] = [
  {
    name: 'a changed word of the payload',
    change: inPayload('"stop"', '"length"'),
    failing: ['payloadHash'],
    proofReason: 'payload_hash',
  },
  {
    name: 'a changed count',
    change: inPayload('"totalTokens":4', '"totalTokens":9'),
    failing: ['payloadHash'],
    proofReason: 'payload_hash',
  },
  {
    name: 'a payload that is not JSON',
    change: `payload = '[' || substr(payload, 2)`,
    failing: ['payloadHash', 'signature', 'chain'],
    proofReason: 'not_json',
  },
  {
    name: 'a duplicate member',
    change: inPayload('{"address"', '{"v":1,"address"'),
    failing: ['payloadHash', 'signature', 'chain'],
    proofReason: 'duplicate_key',
  },
  {
    name: 'an additional member',
    change: inPayload('"v":1', '"v":1,"w":2'),
    failing: ['payloadHash', 'signature', 'chain'],
    proofReason: 'schema',
  },
  {
    name: 'another hash',
    change: `payload_hash = repeat('0', 64)`,
    failing: ['payloadHash', 'signature'],
    proofReason: 'payload_hash',
  },
  {
    name: 'another signature',
    change: `signature = (SELECT signature FROM ledger.certificate WHERE chain_index = 0
      AND workspace_id = (SELECT workspace_id FROM ledger.certificate WHERE id = $1))`,
    failing: ['signature'],
    proofReason: 'signature',
  },
  {
    name: 'another predecessor',
    change: `payload = regexp_replace(payload, '"prevHash":"....', '"prevHash":"0000')`,
    failing: ['payloadHash', 'chain'],
    proofReason: 'payload_hash',
  },
];

describe('the verification on the server', () => {
  /** Changes stored rows as the owner of the database, who can disable the append-only trigger. */
  const tamper = async (text: string, values: string[]): Promise<void> => {
    await admin.query('ALTER TABLE ledger.certificate DISABLE TRIGGER append_only');
    await admin.query(text, values);
  };
  afterEach(async () => {
    await admin.query('ALTER TABLE ledger.certificate ENABLE TRIGGER append_only');
  });

  const failingChecks = async (workspaceId: string, proofId: string): Promise<string[]> => {
    const answer = await ledger.certificates.verifyCertificate(
      { proofId },
      optionsFor(workspaceId),
    );
    const checks = ['payloadHash', 'signature', 'chain'] as const;
    for (const name of checks) expect(answer[name]!.ok).toBe(answer[name]!.detail === '');
    return checks.filter((name) => !answer[name]!.ok);
  };
  const exportErrorOf = async (workspaceId: string): Promise<unknown> => {
    try {
      verifyExport(await exportChain(ledger.certificates, workspaceId));
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('accepts every certificate of a valid chain', async () => {
    const workspaceId = newId('ws');
    for (const certificate of await appendMany(workspaceId, 3)) {
      expect(await failingChecks(workspaceId, idOf(certificate))).toEqual([]);
    }
  });

  it.each(TAMPER_CASES)('detects $name', async ({ change, failing, proofReason }) => {
    const workspaceId = newId('ws');
    const [, middle] = await appendMany(workspaceId, 3);
    const proofId = idOf(middle!);
    await tamper(`UPDATE ledger.certificate SET ${change} WHERE id = $1`, [proofId]);
    expect(await failingChecks(workspaceId, proofId)).toEqual(failing);
    expect(await exportErrorOf(workspaceId)).toMatchObject({ reason: proofReason, index: 1 });
  });

  it('detects a certificate under the id of another', async () => {
    const workspaceId = newId('ws');
    const [, middle] = await appendMany(workspaceId, 3);
    const other = newId('pf');
    const values = [idOf(middle!), other];
    await tamper('UPDATE ledger.certificate SET id = $2 WHERE id = $1', values);
    expect(await failingChecks(workspaceId, other)).toEqual(['chain']);
  });

  it('detects a missing predecessor', async () => {
    const workspaceId = newId('ws');
    const [, middle, last] = await appendMany(workspaceId, 3);
    await tamper('DELETE FROM ledger.certificate WHERE id = $1', [idOf(middle!)]);
    const { chain } = await ledger.certificates.verifyCertificate(
      { proofId: idOf(last!) },
      optionsFor(workspaceId),
    );
    expect(chain).toMatchObject({ ok: false, detail: 'certificate 1 is missing' });
    expect(await exportErrorOf(workspaceId)).toMatchObject({ reason: 'hole', index: 1 });
  });

  it('detects a chain that started for another workspace', async () => {
    const [workspaceId, foreignWorkspaceId] = [newId('ws'), newId('ws')];
    const [first] = await appendMany(workspaceId, 1);
    const values = [idOf(first!), foreignWorkspaceId];
    await tamper('UPDATE ledger.certificate SET workspace_id = $2 WHERE id = $1', values);
    expect(await failingChecks(foreignWorkspaceId, idOf(first!))).toEqual(['chain']);
    expect(await exportErrorOf(foreignWorkspaceId)).toMatchObject({ reason: 'genesis', index: 0 });
  });
});
