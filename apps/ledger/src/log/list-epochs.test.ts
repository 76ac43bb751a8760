import { describe, expect, it } from '@jest/globals';
import { epochEntry } from '@witan/proof/tlog/bundle';
import { mapValue, rootOfMapEntry, treeHeadText } from '@witan/proof/tlog/map';
import { tileHashes } from '@witan/proof/tlog/tile';
import { BrokenBundleError } from './build-bundle.ts';
import { buildEpochMap } from './epoch-map.ts';
import type { TreeHead } from './epoch-map.ts';
import { listEpochs, REBUILDING_MAX_MS, REBUILT_MAX } from './list-epochs.ts';
import { createPathRebuilder, OWN_MAX, PENDING_MAX } from './rebuild-path.ts';
import type { EpochRow } from './rebuild-path.ts';

const identity = { origin: 'log.witan.test/ledger', secret: Buffer.alloc(32, 1) };
const EPOCHS = 12;
const WORKSPACE = 'ws_1';
const pause = async (): Promise<void> => {};

const headOf = (i: number): TreeHead => ({
  workspaceId: `ws_${i}`,
  mapKey: Buffer.alloc(32, i * 8),
  secret: Buffer.alloc(32, i),
  size: i,
  root: Buffer.alloc(32, i),
});
const HEADS = Array.from({ length: 1 + PENDING_MAX }, (_, i) => headOf(1 + i));

/**
 * Epochs in which no tree changes after the first; `onHeads` is called for each rebuilt map, which
 * takes `rebuildMs` of the clock.
 */
const open = async (onHeads: (epoch: number) => Promise<void> = async () => {}, rebuildMs = 0) => {
  const rows: EpochRow[] = [];
  let path = new Uint8Array();
  for (let n = 0; n < EPOCHS; n += 1) {
    const context = { ...identity, epoch: n };
    const map = await buildEpochMap(HEADS, context, { wanted: new Set([WORKSPACE]), pause });
    if (n === 0) path = new Uint8Array(map.paths.get(WORKSPACE)!);
    rows.push({ n, entry: epochEntry(map.root, []), keys: '[]', isLost: false });
  }
  const rebuilt: number[] = [];
  const clock = (): number => rebuilt.length * rebuildMs;
  const listHeadsAt = async (epoch: number): Promise<TreeHead[]> => {
    rebuilt.push(epoch);
    await onHeads(epoch);
    return HEADS;
  };
  const paths = createPathRebuilder({ listHeadsAt, identity, pause });
  const reader = {
    listEpochs: async (from: number, last: number) => rows.slice(from, last),
    findHeadAt: async () => ({ ...HEADS[0]!, epoch: 0, path }),
  };
  const signer = { keys: [], vkeys: [], sign: async () => 'note' };
  const list = (from: number, signal = new AbortController().signal) =>
    listEpochs({ reader, paths, origin: identity.origin, signer }, WORKSPACE, {
      ...{ from, last: EPOCHS, signal, clock },
    });
  return { rows, rebuilt, paths, list };
};

describe('the epochs of a workspace', () => {
  it('end early after some maps were built again, and go on from there', async () => {
    const { rows, rebuilt, list } = await open();
    const numbers: number[] = [];
    const sizes: number[] = [];
    const entries: string[] = [];
    while (numbers.length < EPOCHS) {
      const page = await list(numbers.length);
      sizes.push(page.length);
      numbers.push(...page.map(({ n }) => n));
      for (const { head } of page) {
        const text = treeHeadText({ origin: identity.origin, ...HEADS[0]! });
        const one = { key: HEADS[0]!.mapKey, value: mapValue(head!.salt, text) };
        entries.push(epochEntry(rootOfMapEntry(one, tileHashes(head!.path)), []));
      }
    }
    expect(numbers).toEqual(rows.map(({ n }) => n));
    expect(entries).toEqual(rows.map(({ entry }) => entry));
    expect(sizes).toEqual([1 + REBUILT_MAX, REBUILT_MAX, EPOCHS - 1 - 2 * REBUILT_MAX]);
    expect(rebuilt).toEqual(numbers.slice(1));
  });

  it.each([
    [REBUILDING_MAX_MS * 5, 1],
    [REBUILDING_MAX_MS, 1],
    [REBUILDING_MAX_MS / 2, 2],
    [REBUILDING_MAX_MS / 2 - 1, 3],
    [1, REBUILT_MAX],
  ])('end early after 2 s of building maps again: %d ms each', async (rebuildMs, pageSize) => {
    const { rebuilt, list } = await open(async () => {}, rebuildMs);
    expect(await list(1)).toHaveLength(pageSize);
    expect(rebuilt).toHaveLength(pageSize);
    // Those that were built again are found, and the list goes on after them.
    expect(await list(1)).toHaveLength(2 * pageSize);
  });

  it('are built again once', async () => {
    const { rebuilt, list } = await open();
    const first = await list(1);
    const again = await list(1);
    expect(again.slice(0, first.length)).toEqual(first);
    expect(again).toHaveLength(2 * REBUILT_MAX);
    expect(new Set(rebuilt).size).toBe(rebuilt.length);
  });

  it('are built again one at a time', async () => {
    const state = { running: 0, most: 0 };
    const { rebuilt, list } = await open(async () => {
      state.running += 1;
      state.most = Math.max(state.most, state.running);
      await new Promise((resolve) => setImmediate(resolve));
      state.running -= 1;
    });
    await Promise.all([list(1), list(1), list(4), list(8)]);
    expect(state.most).toBe(1);
    expect(new Set(rebuilt).size).toBe(rebuilt.length);
  });

  it('are not built again for a caller that has gone', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const { rebuilt, list } = await open(async (n) => {
      if (n === 2) controller.abort(reason);
    });
    await expect(list(1, controller.signal)).rejects.toBe(reason);
    expect(rebuilt).toEqual([1, 2]);
    expect(await list(11)).toHaveLength(1);
  });

  it('are refused if too many callers wait', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { rows, paths } = await open(() => promise);
    const { signal } = new AbortController();
    const rebuild = (workspaceId: string) => paths.rebuild(workspaceId, rows[1]!, signal);
    const waiting = HEADS.map(({ workspaceId }) => rebuild(workspaceId));
    await expect(rebuild('ws_99')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    resolve();
    const found = await Promise.all(waiting);
    expect(new Set(found.map((path) => path.toString())).size).toBe(waiting.length);
  });

  it('are refused to a workspace that waits often already, and not to others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { rows, paths } = await open(() => promise);
    const { signal } = new AbortController();
    const rebuild = (workspaceId: string) => paths.rebuild(workspaceId, rows[1]!, signal);
    const waiting = Array.from({ length: OWN_MAX }, () => rebuild(WORKSPACE));
    await expect(rebuild(WORKSPACE)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    const other = rebuild('ws_2');
    resolve();
    const found = await Promise.all(waiting);
    expect(new Set(found.map((path) => path.toString())).size).toBe(1);
    expect((await other).toString()).not.toBe(found[0]!.toString());
    expect(await rebuild(WORKSPACE)).toEqual(found[0]);
  });

  it('are not shown with another map than the log has', async () => {
    const { rows, list } = await open();
    rows[3] = { ...rows[3]!, entry: rows[4]!.entry };
    await expect(list(1)).rejects.toThrow(BrokenBundleError);
  });
});
