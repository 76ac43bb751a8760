import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parsePolicy, verifyBundle } from '@witan/proof';
import { formatPolicy } from '@witan/proof/tlog/policy';
import { parseNoteKey } from '@witan/proof/tlog/note';
import { verifyCheckpointText } from '@witan/proof/tlog/verify-bundle';
import { newId } from '@witan/service-kit';
import { createWitness } from '@witan/testing';
import type { TestWitness, WitnessFailure } from '@witan/testing';
import { createLogSigner } from '../src/log/log-keys.ts';
import { parseSigners } from '../src/signing-key/signer.ts';
import { certifyOne } from './drafts.ts';
import { openTestLog, ORIGIN } from './open-log.ts';
import type { TestLog } from './open-log.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

type Opened = AsyncDisposable & { log: TestLog; ledger: TestLedger; fixture: LedgerFixture };

describe('the witnesses of the log', () => {
  let keyFile: string;
  let vkeys: readonly string[];
  let witnesses: TestWitness[];
  let policy: string;
  let first: Opened;

  const open = async (fixture: LedgerFixture, anchor?: { note: string | undefined }) => {
    const ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
    const file = anchor && {
      read: async () => anchor.note,
      write: async (note: string) => void (anchor.note = note),
    };
    const log = await openTestLog(fixture, { keyFile, policy, ...(file && { anchor: file }) });
    return {
      log,
      ledger,
      fixture,
      [Symbol.asyncDispose]: async () => {
        await log[Symbol.asyncDispose]();
        await ledger[Symbol.asyncDispose]();
        await fixture[Symbol.asyncDispose]();
      },
    };
  };
  const anchor: { note: string | undefined } = { note: undefined };

  beforeAll(async () => {
    const fixture = await openLedgerFixture();
    keyFile = await fixture.newKeyFile();
    vkeys = createLogSigner(parseSigners(await readFile(keyFile, 'utf8')), ORIGIN).vkeys;
    witnesses = ['w1', 'w2', 'w3'].map((name) =>
      createWitness({ name: `${name}.test`, logs: () => vkeys }),
    );
    const text = formatPolicy({
      logs: vkeys.map(parseNoteKey),
      witnesses: witnesses.map(({ vkey }) => parseNoteKey(vkey)),
      threshold: 2,
    });
    // The URLs are those of a test that posts to none of them.
    policy = text.replaceAll(/^(witness (w\d) .*)$/gm, '$1 https://$2.test');
    first = await open(fixture, anchor);
  });
  afterAll(async () => {
    await first[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    for (const witness of witnesses) witness.setFailure(undefined);
  });

  /** Carries a submission to the witnesses and back, as the notifier does. */
  const carry = async ({ log }: TestLog) => {
    const refused: string[] = [];
    let [isPublished, size]: [boolean, number | undefined] = [false, undefined];
    for (let round = 0; round < 3; round += 1) {
      const submission = await log.nextSubmission();
      if (!submission) return { isPublished, refused, size };
      const answers = await Promise.all(
        submission.requests.map(async ({ witness, url, body }) => {
          expect(url).toBe(`https://${witness}.test/add-checkpoint`);
          expect(Buffer.byteLength(body)).toBeLessThan(10 * 1024);
          const index = Number(witness.slice(1)) - 1;
          return { witness, ...(await witnesses[index]!.add(body)) };
        }),
      );
      const taken = await log.takeAnswers(submission.size, answers);
      refused.push(...taken.refused.map(({ witness, reason }) => `${witness}: ${reason}`));
      isPublished ||= taken.isPublished;
      ({ size } = submission);
      if (!taken.isAgain) return { isPublished, refused, size };
    }
    throw new Error('The witnesses were asked again without end.');
  };
  const certify = async (
    { ledger }: Opened,
    workspaceId = newId('ws'),
  ): Promise<[string, string]> => {
    const { payload } = await certifyOne(ledger.writer, workspaceId);
    return [workspaceId, (JSON.parse(payload) as { id: string }).id];
  };
  const publishedSize = async ({ log }: TestLog): Promise<number> =>
    (await log.findPublished())?.size ?? 0;

  const epochsOf = async ({ admin }: TestLog): Promise<number> => {
    const { rows } = await admin.query<{ size: string }>('SELECT size FROM ledger.log_state');
    return Number(rows[0]!.size);
  };

  it('publish an epoch when the quorum has cosigned it', async () => {
    const [workspaceId, id] = await certify(first);
    await first.log.cycle();
    expect(await publishedSize(first.log)).toBe(0);
    expect(await first.log.log.buildBundle(workspaceId, id)).toEqual({ state: 'pending' });
    expect(await carry(first.log)).toEqual({ isPublished: true, refused: [], size: 1 });
    const found = await first.log.log.buildBundle(workspaceId, id);
    const verified = verifyBundle(found.state === 'ready' ? found.bundle : '', parsePolicy(policy));
    expect(verified.witnesses.map(({ name }) => name)).toEqual(['w1', 'w2', 'w3']);
    expect(verified.witnessedAt).toBeDefined();
    expect(await first.log.log.nextSubmission()).toBeUndefined();
    // The anchor has the checkpoint as it was signed, before the witnesses.
    expect((await first.log.log.findPublished())!.note.startsWith(anchor.note!)).toBe(true);
  });

  it.each<[WitnessFailure, string]>([
    ['frozen', 'w2: no response'],
    ['failing', 'w2: status 500'],
    ['claims-more', 'w2: has cosigned 1000000, the log has'],
    ['claims-other', 'w2: status 422'],
    ['signs-more', 'w2: note: the line more is not a signature'],
    ['signs-late', 'w2: checkpoint: no cosignature in the response'],
  ])('are needed in number, so one that is %s does not stop the log', async (failure, reason) => {
    await certify(first);
    await first.log.cycle();
    witnesses[1]!.setFailure(failure);
    const { isPublished, refused } = await carry(first.log);
    expect([isPublished, refused]).toEqual([true, [expect.stringContaining(reason)]]);
    const { note } = (await first.log.log.findPublished())!;
    expect(verifyCheckpointText(note, parsePolicy(policy)).signatures).toHaveLength(3);
  });

  it('are heard once each, whatever else their response has and whoever repeats it', async () => {
    await certify(first);
    await first.log.cycle();
    witnesses[1]!.setFailure('adds-line');
    const { size, requests } = (await first.log.log.nextSubmission())!;
    const answers = await Promise.all(
      requests.map(async ({ witness, body }, i) => ({
        witness,
        ...(await witnesses[i]!.add(body)),
      })),
    );
    const repeated = Array.from({ length: 101 }, () => answers).flat();
    expect(await first.log.log.takeAnswers(size, repeated)).toMatchObject({
      ...{ isPublished: true, refused: [] },
    });
    const { note } = (await first.log.log.findPublished())!;
    expect(verifyCheckpointText(note, parsePolicy(policy)).signatures).toHaveLength(4);
  });

  it('are not asked again at once if they name the size that is known of them', async () => {
    await certify(first);
    await first.log.cycle();
    const { size, requests } = (await first.log.log.nextSubmission())!;
    const stored = Number(/^old (\d+)\n/.exec(requests[0]!.body)![1]);
    const taken = await first.log.log.takeAnswers(size, [
      { witness: 'w1', status: 409, body: `${stored}\n` },
    ]);
    expect(taken).toMatchObject({ isPublished: false, isAgain: false });
    expect(await carry(first.log)).toMatchObject({ isPublished: true });
  });

  it('stop the publication without a quorum, and nothing is lost', async () => {
    const before = await publishedSize(first.log);
    for (const witness of witnesses.slice(1)) witness.setFailure('frozen');
    const [workspaceId, id] = await certify(first);
    await first.log.cycle();
    expect(await carry(first.log)).toMatchObject({ isPublished: false });
    await certify(first);
    await first.log.cycle();
    expect(await carry(first.log)).toMatchObject({ isPublished: false });
    expect(await publishedSize(first.log)).toBe(before);
    for (const witness of witnesses) witness.setFailure(undefined);
    expect(await carry(first.log)).toMatchObject({ isPublished: true, size: before + 2 });
    expect(await first.log.log.buildBundle(workspaceId, id)).toMatchObject({ state: 'ready' });
    expect((await first.log.recompute()).violations).toEqual([]);
  });

  it('are asked again at once when their sizes are not known', async () => {
    await first.log.admin.query('DELETE FROM ledger.witness');
    await certify(first);
    await first.log.cycle();
    const { isPublished, refused } = await carry(first.log);
    expect(isPublished).toBe(true);
    expect(refused.every((reason) => reason.includes('has cosigned'))).toBe(true);
  });

  it('are sent the whole log again if they have lost their state', async () => {
    const named: number[] = [];
    const submit = async (status: number, body: string) => {
      const { size, requests } = (await first.log.log.nextSubmission())!;
      named.push(...requests.map((one) => Number(/^old (\d+)\n/.exec(one.body)![1])));
      return first.log.log.takeAnswers(size, [{ witness: 'w1', status, body }]);
    };
    const before = await publishedSize(first.log);
    await first.log.admin.query('UPDATE ledger.witness SET size = $1', [before]);
    await certify(first);
    await first.log.cycle();
    // Without a size in the response, the known one stays.
    expect(await submit(500, '')).toMatchObject({ isPublished: false, isAgain: false });
    expect(await submit(409, '0\n')).toMatchObject({ isPublished: false, isAgain: true });
    expect(await submit(500, '')).toMatchObject({ isPublished: false });
    expect(named).toEqual([...Array<number>(6).fill(before), 0, before, before]);
    expect(await carry(first.log)).toMatchObject({ isPublished: true });
  });

  it('may be carried to by two replicas at once', async () => {
    await certify(first);
    await first.log.cycle();
    const [one, other] = await Promise.all([carry(first.log), carry(first.log)]);
    expect([one.isPublished, other.isPublished]).toContain(true);
  });

  it('ignore the answer of a stranger, and of one witness for another', async () => {
    await certify(first);
    await first.log.cycle();
    const submission = (await first.log.log.nextSubmission())!;
    const { body } = await witnesses[0]!.add(submission.requests[0]!.body);
    const forged = ['w2', 'w3', 'stranger'].map((witness) => ({ witness, status: 200, body }));
    const taken = await first.log.log.takeAnswers(submission.size, forged);
    expect(taken.isPublished).toBe(false);
    expect(await carry(first.log)).toMatchObject({ isPublished: true });
  });

  /** Returns a submission with the cosignatures of all witnesses. */
  const cosign = async () => {
    const { size, requests } = (await first.log.log.nextSubmission())!;
    const answers = await Promise.all(
      requests.map(async ({ witness, body }, i) => ({
        witness,
        ...(await witnesses[i]!.add(body)),
      })),
    );
    return { size, answers };
  };

  it('publish nothing with their answers while the log is halted', async () => {
    const before = await publishedSize(first.log);
    await certify(first);
    await first.log.cycle();
    const { size, answers } = await cosign();
    await first.log.admin.query("UPDATE ledger.log_state SET halted = 'test'");
    const taken = await first.log.log.takeAnswers(size, answers);
    expect(taken).toEqual({ isPublished: false, isAgain: true, refused: [] });
    expect(await first.log.log.nextSubmission()).toBeUndefined();
    expect(await publishedSize(first.log)).toBe(before);
    await first.log.admin.query('UPDATE ledger.log_state SET halted = NULL');
    expect(await first.log.log.takeAnswers(size, answers)).toMatchObject({ isPublished: true });
    expect(await publishedSize(first.log)).toBe(size);
  });

  it('publish nothing with their answers if the log does not extend the published', async () => {
    await certify(first);
    await first.log.cycle();
    expect(await carry(first.log)).toMatchObject({ isPublished: true });
    await certify(first);
    await first.log.cycle();
    const { size, answers } = await cosign();
    const { note } = (await first.log.log.findPublished())!;
    const [origin, published] = note.split('\n');
    const root = Buffer.alloc(32).toString('base64');
    const forged = `${origin}\n${published}\n${root}\n\n${note.slice(note.indexOf('—'))}`;
    await first.log.admin.query('UPDATE ledger.published SET note = $1', [forged]);
    await expect(first.log.log.takeAnswers(size, answers)).rejects.toThrow('does not extend');
    await first.log.admin.query('UPDATE ledger.published SET note = $1', [note]);
    expect(await first.log.log.takeAnswers(size, answers)).toMatchObject({ isPublished: true });
  });

  it('refuse a second log under the same key: nothing of it is published', async () => {
    for (let i = 0; i < 3; i += 1) {
      await certify(first);
      await first.log.cycle();
    }
    const { size: known } = await carry(first.log);
    expect(witnesses.map((one) => one.seen()!.size)).toEqual([known, known, known]);
    const second = await open(await openLedgerFixture());
    const grow = async (size: number): Promise<void> => {
      for (let n = await epochsOf(second.log); n < size; n += 1) {
        await certify(second);
        await second.log.cycle();
      }
    };
    const ahead = (size: number): string[] =>
      ['w1', 'w2', 'w3'].map((name) => `${name}: has cosigned ${known}, the log has ${size}`);
    await grow(known! - 1);
    expect(await carry(second.log)).toEqual({
      ...{ isPublished: false, size: known! - 1 },
      refused: ahead(known! - 1),
    });
    // A longer one has an honest size, but no proof that it extends the first.
    await grow(known! + 1);
    expect(await carry(second.log)).toEqual({
      ...{ isPublished: false, size: known! + 1 },
      refused: [...ahead(known! + 1), 'w1: status 422', 'w2: status 422', 'w3: status 422'],
    });
    expect(await publishedSize(second.log)).toBe(0);
    await second[Symbol.asyncDispose]();
  }, 60_000);

  it('stop a log whose database lost epochs; the anchor file stops it at the start', async () => {
    const lost = await open(await openLedgerFixture(), { note: anchor.note });
    await certify(lost);
    await expect(lost.log.cycle()).rejects.toThrow('was signed with');
    await expect(lost.log.log.check()).rejects.toThrow('was signed with');
    await expect(lost.log.log.nextSubmission()).rejects.toThrow('was signed with');
    const { rows } = await lost.log.admin.query('SELECT size, halted FROM ledger.log_state');
    expect(rows).toEqual([{ size: '0', halted: 'anchor_ahead' }]);
    // A replica without the anchor file does not go on, either.
    const other = await openTestLog(lost.fixture, { keyFile, policy });
    expect(await other.cycle()).toEqual({ epochs: 0, changed: [] });
    await other[Symbol.asyncDispose]();
    await lost[Symbol.asyncDispose]();
  });

  it('let a log go on whose halt has ended, because its epochs are there again', async () => {
    await first.log.admin.query("UPDATE ledger.log_state SET halted = 'anchor_ahead'");
    await certify(first);
    const again = await openTestLog(first.fixture, {
      keyFile,
      policy,
      anchor: { read: async () => anchor.note, write: async () => {} },
    });
    expect(await again.cycle()).toEqual({ epochs: 1, changed: [] });
    await again[Symbol.asyncDispose]();
  });

  it('are asked for the same size again when the policy has changed', async () => {
    const none = await openTestLog(first.fixture, { keyFile });
    await none.cycle();
    const [workspaceId, id] = await certify(first);
    await none.cycle();
    expect(await none.log.buildBundle(workspaceId, id)).toMatchObject({ state: 'ready' });
    expect(await first.log.log.buildBundle(workspaceId, id)).toEqual({ state: 'pending' });
    expect(await carry(first.log)).toMatchObject({ isPublished: true });
    expect(await first.log.log.buildBundle(workspaceId, id)).toMatchObject({ state: 'ready' });
    await none[Symbol.asyncDispose]();
  });
});
