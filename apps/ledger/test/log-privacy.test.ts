import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { parseBundle, parsePolicy, verifyBundle } from '@witan/proof';
import { tileHashes } from '@witan/proof/tlog/tile';
import { certifyOne } from './drafts.ts';
import { openTestLog } from './open-log.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';

/** What tenant A and a monitor see of a log, without the values, which differ by chance. */
type Seen = {
  publicSizes: number[];
  bundleParts: number[];
  pathLength: number;
  /** Positions of A's siblings in the map that changed from the first epoch to the second. */
  changedSiblings: number[];
  publicText: string;
};

describe('what the log shows of other workspaces', () => {
  const [a, b] = [newId('ws'), newId('ws')];
  const secret = randomBytes(32);

  /** Runs two epochs, in the second of which B makes `callsOfB` calls. */
  const observe = async (callsOfB: number): Promise<Seen> => {
    const fixture = await openLedgerFixture();
    const ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
    const opened = await openTestLog(fixture, { keyFile: await fixture.newKeyFile(), secret });
    const { log } = opened;
    const { signal } = new AbortController();
    for (const workspaceId of [a, b]) await certifyOne(ledger.writer, workspaceId);
    await opened.cycle();
    const { payload } = await certifyOne(ledger.writer, a);
    for (let i = 0; i < callsOfB; i += 1) await certifyOne(ledger.writer, b);
    await opened.cycle();
    const { id } = JSON.parse(payload) as { id: string };
    const found = await log.buildBundle(a, id);
    const text = found.state === 'ready' ? found.bundle : '';
    verifyBundle(text, parsePolicy(log.policy.text));
    const bundle = parseBundle(text);
    const epochs = await log.listEpochs(a, { from: 0, last: 2, signal, clock: Date.now });
    const [before, after] = epochs.map(({ head }) => tileHashes(head!.path).map(String));
    const entries = await log.tiles.readEntries(0, 2);
    const { note } = (await log.findPublished())!;
    const publicParts = [...entries.map((entry) => Buffer.from(entry).toString()), note];
    const seen = {
      publicSizes: publicParts.map(({ length }) => length),
      bundleParts: [bundle.tree.length, bundle.log.length, bundle.map.path.length],
      pathLength: after!.length,
      changedSiblings: after!.flatMap((hash, i) => (hash === before![i] ? [] : [i])),
      publicText: publicParts.join(''),
    };
    await opened[Symbol.asyncDispose]();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    return seen;
  };

  it('has the same form whether another workspace was active or not', async () => {
    const { publicText: _idle, ...idle } = await observe(0);
    const { publicText, ...busy } = await observe(7);
    expect(busy).toEqual(idle);
    expect(idle.changedSiblings.length).toBeGreaterThan(0);
    for (const id of [a, b]) expect(publicText).not.toContain(id);
  }, 180_000);
});
