import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { joinEntries } from '@witan/proof/tlog/entry-bundle';
import type { FetchFile } from '@witan/proof/tlog/follow-log';
import { parseNoteKey } from '@witan/proof/tlog/note';
import { formatPolicy } from '@witan/proof/tlog/policy';
import { parseTilePath, TILE_WIDTH } from '@witan/proof/tlog/tile';
import { createWitness } from '@witan/testing';
import { adoptLogAt } from '../src/log/store/adopt-log-at.ts';
import { createLogSigner } from '../src/log/log-keys.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { parseSigners } from '../src/signing-key/signer.ts';
import { backUpLog, CERTIFICATE_TABLES, insertLeaves, openTestLog, ORIGIN } from './open-log.ts';
import type { TestLog } from './open-log.ts';
import { openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture } from './open-ledger.ts';

const GROWN = 'ws_grown';
const SIGNAL = new AbortController().signal;

/** A log with one witness and one tree of 300 certificates, which is published. */
const open = async (isCover = false) => {
  const fixture: LedgerFixture = await openLedgerFixture();
  const keyFile = await fixture.newKeyFile();
  const { vkeys } = createLogSigner(parseSigners(await readFile(keyFile, 'utf8')), ORIGIN);
  const witness = createWitness({ name: 'w.test', logs: () => vkeys });
  const policy = formatPolicy({
    logs: vkeys.map(parseNoteKey),
    witnesses: [parseNoteKey(witness.vkey)],
    threshold: 1,
  }).replaceAll(/^(witness .*)$/gm, '$1 https://w.test');
  const test = await openTestLog(fixture, { keyFile, policy, isCover, intervalMs: 1 });
  const publish = async (): Promise<string[]> => {
    const refused: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const submission = await test.log.nextSubmission();
      if (!submission) break;
      const [request] = submission.requests;
      const answer = { witness: request!.witness, ...(await witness.add(request!.body)) };
      const taken = await test.log.takeAnswers(submission.size, [answer]);
      refused.push(...taken.refused.map(({ reason }) => reason));
      if (!taken.isAgain) break;
    }
    return refused;
  };
  await insertLeaves(test.admin, GROWN, { from: 0, count: 300 });
  await test.cycle();
  await publish();
  return {
    test,
    publish,
    /** The same log without a policy, which publishes by itself. */
    unwitnessed: () => openTestLog(fixture, { keyFile }),
    adopt: (mirror: FetchFile) =>
      adoptLogAt({ url: fixture.database.urls.ledger!, migrations: MIGRATIONS }, mirror),
    [Symbol.asyncDispose]: async () => {
      await test[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
};

/** Copies what is published, as `witan log mirror` does. */
const mirror = async ({ log, admin }: TestLog): Promise<FetchFile> => {
  const { note, size } = (await log.findPublished())!;
  const { rows } = await admin.query<{ entry: string }>(
    'SELECT entry FROM ledger.epoch WHERE n < $1 ORDER BY n',
    [size],
  );
  const entries = rows.map(({ entry }) => Buffer.from(entry));
  return async (path) => {
    if (path === 'checkpoint') return Buffer.from(note);
    const { n, width } = parseTilePath(path)!;
    return joinEntries(entries.slice(n * TILE_WIDTH, n * TILE_WIDTH + width));
  };
};

/** Writes epochs in each of which a tree grows; `ids` are new workspaces, one an epoch. */
const grow = async (
  { admin, cycle }: TestLog,
  { from, by, ids }: { from: number; by: number; ids: readonly string[] },
): Promise<void> => {
  for (const [i, id] of ids.entries()) {
    await insertLeaves(admin, GROWN, { from: from + i * by, count: by });
    await insertLeaves(admin, id, { from: 0, count: 2 });
    await cycle();
  }
};

/** Publishes epochs that `work` writes, and restores the database of before; returns a mirror. */
const lose = async (
  { test, publish }: Pick<Awaited<ReturnType<typeof open>>, 'test' | 'publish'>,
  work: () => Promise<void>,
): Promise<FetchFile> => {
  const restore = await backUpLog(test.admin, CERTIFICATE_TABLES);
  await work();
  await publish();
  const copy = await mirror(test);
  await restore();
  return copy;
};

const LOST = ['ws_lost1', 'ws_lost2', 'ws_lost3'];

describe('adopting lost epochs from a mirror', () => {
  it.each([0, 1, 2])(
    'lets the log go on without a fork after a backup on which %i epochs were written',
    async (written) => {
      await using opened = await open();
      const { test, publish, adopt } = opened;
      const copy = await lose(opened, () => grow(test, { from: 300, by: 250, ids: LOST }));
      await grow(test, { from: 300, by: 400, ids: ['ws_own1', 'ws_own2'].slice(0, written) });
      expect(await publish()).toEqual(
        written === 0 ? [] : [`has cosigned 4, the log has ${written + 1}`],
      );

      expect(await adopt(copy)).toEqual({ epochs: 3, first: 1, removed: written, size: 5 });
      expect((await test.recompute()).violations).toEqual([]);
      await insertLeaves(test.admin, 'ws_later', { from: 0, count: 1 });
      await test.cycle();
      await publish();
      expect((await test.log.findPublished())!.size).toBe(6);
      expect(await test.recompute()).toEqual({
        epochs: 6,
        leaves: 300 + written * 402 + 1,
        violations: [],
      });
      const range = { from: 0, last: 6, signal: SIGNAL, clock: Date.now };
      const epochs = await test.log.listEpochs(GROWN, range);
      expect(epochs.map(({ n, head }) => [n, head !== undefined])).toEqual([
        ...[
          [0, true],
          [1, false],
          [2, false],
          [3, false],
          [4, false],
        ],
        [5, true],
      ]);
      const newest = await mirror(test);
      expect(await adopt(newest)).toEqual({ epochs: 0, first: 6, removed: 0, size: 6 });
    },
    60_000,
  );

  describe('of a log whose tiles are full', () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open(true);
      for (let epoch = 1; epoch < 250; epoch += 1) await opened.test.cycle();
      await opened.publish();
    }, 60_000);
    afterAll(async () => {
      await opened[Symbol.asyncDispose]();
    });

    it('writes the same tiles as if nothing had been lost', async () => {
      const { test, publish, adopt } = opened;
      const copy = await lose(opened, async () => {
        await insertLeaves(test.admin, GROWN, { from: 300, count: 1 });
        for (let epoch = 0; epoch < 20; epoch += 1) await test.cycle();
      });
      await insertLeaves(test.admin, GROWN, { from: 300, count: 2 });
      for (let epoch = 0; epoch < 10; epoch += 1) await test.cycle();
      expect(await adopt(copy)).toEqual({ epochs: 20, first: 250, removed: 10, size: 271 });
      await test.cycle();
      await publish();
      expect((await test.log.findPublished())!.size).toBe(272);
      expect(await test.recompute()).toEqual({ epochs: 272, leaves: 302, violations: [] });
    }, 60_000);
  });

  it('refuses a mirror of another history, and changes nothing', async () => {
    await using opened = await open();
    const { test, adopt } = opened;
    const copy = await lose(opened, () => grow(test, { from: 300, by: 10, ids: LOST }));
    await grow(test, { from: 300, by: 20, ids: ['ws_other'] });
    // What a second operator with the key could publish, or this one without witnesses.
    await using none = await opened.unwitnessed();
    await none.cycle();
    await expect(adopt(copy)).rejects.toThrow(
      'The mirror does not continue what this database has published',
    );
    expect((await test.recompute()).violations).toEqual([]);
  }, 60_000);
});
