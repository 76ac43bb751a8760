import { describe, expect, it } from '@jest/globals';
import { openCommand, openGateway, ORIGIN, WORKSPACE } from '../../test/open-log-gateway.ts';

const FOLLOW = ['--policy', 'policy.txt', '--state', 'state.json'];
const FIRST = [['a'], ['a', 'b', 'c']];
const LATER = [...FIRST, ['a', 'b', 'c', 'd', 'e']];

describe('witan log', () => {
  it('monitors a log that grows', async () => {
    const { run } = openCommand();
    const first = await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining('2 epochs, 2 since') });
    const second = await run(openGateway(LATER), 'monitor', ...FOLLOW);
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('3 epochs, 1 since') });
    expect(second.out).toContain('witnessed at 2026-');
  });

  it('reports another log, and stores both checkpoints, fetched once', async () => {
    const { run, files } = openCommand();
    const before = openGateway(FIRST);
    await run(before, 'monitor', ...FOLLOW);
    const other = openGateway(LATER, 'other');
    const shown = String(other.read('/v1/log/checkpoint'));
    const reads: string[] = [];
    const once = {
      ...other,
      read: (path: string) => {
        reads.push(path);
        if (path.endsWith('checkpoint') && reads.filter((one) => one === path).length > 1) {
          return undefined;
        }
        return other.read(path);
      },
    };
    const { code, out } = await run(once, 'monitor', ...FOLLOW);
    expect(code).toBe(1);
    expect(out).toContain('INVALID: epoch: the entries of 3 epochs do not give the signed root');
    const evidence = String(files.get('state.json.evidence'));
    expect(evidence).toContain(String(before.read('/v1/log/checkpoint')));
    expect(evidence).toContain(shown);
    for (const line of evidence.split('\n')) expect(out).toContain(line);
  });

  it('prints no control characters of a checkpoint that it reports', async () => {
    const { run } = openCommand();
    await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    const other = openGateway(LATER);
    const read = (path: string) =>
      path.endsWith('checkpoint') ? '\u{1b}[2Jforged\n' : other.read(path);
    const { code, out } = await run({ ...other, read }, 'monitor', ...FOLLOW);
    expect([code, out.includes('\u{1b}')]).toEqual([1, false]);
    expect(out).toContain('forged');
  });

  it.each([
    ['monitor', ['follow', ...FOLLOW, '--workspace', WORKSPACE]],
    ['mirror in copy', ['monitor', ...FOLLOW]],
    ['follow ws_1', ['follow', ...FOLLOW, '--workspace', 'ws_2']],
  ])('does not take the state of %s for its own', async (purpose, argv) => {
    const { run, files } = openCommand();
    files.set('state.json', `{"purpose":"${purpose}"}`);
    const { code, out } = await run(openGateway(FIRST), ...argv);
    expect([code, out]).toEqual([
      2,
      expect.stringContaining(`state.json is the state of witan log ${purpose}`),
    ]);
  });

  it.each(['monitor', 'status'])(
    'fails if the witnesses were here too long ago: %s',
    async (name) => {
      const { run } = openCommand();
      const argv = [name, ...FOLLOW, '--max-age'];
      const old = await run(openGateway(FIRST), ...argv, '1s');
      expect([old.code, old.out]).toEqual([
        1,
        expect.stringContaining('newest cosignatures are of'),
      ]);
      expect(await run(openGateway(FIRST), ...argv, '999999d')).toMatchObject({ code: 0 });
    },
  );

  it('reports a log that is shorter than before', async () => {
    const { run } = openCommand();
    await run(openGateway(LATER), 'monitor', ...FOLLOW);
    const { code, out } = await run(openGateway(FIRST), 'monitor', ...FOLLOW);
    expect([code, out]).toEqual([1, expect.stringContaining('the log has 2 epochs and had 3')]);
  });

  it('mirrors what is new, the checkpoint last', async () => {
    const { run, files } = openCommand();
    await run(openGateway(FIRST), 'mirror', ...FOLLOW, '--folder', 'copy');
    await run(openGateway(LATER), 'mirror', ...FOLLOW, '--folder', 'copy');
    expect([...files.keys()].filter((name) => name.startsWith('copy/'))).toEqual([
      'copy/tile/entries/000.p/2',
      'copy/tile/0/000.p/2',
      'copy/checkpoint',
      'copy/tile/entries/000.p/3',
      'copy/tile/0/000.p/3',
    ]);
    for (const path of ['tile/entries/000.p/3', 'tile/0/000.p/3']) {
      expect(files.get(`copy/${path}`)).toEqual(openGateway(LATER).read(`/v1/log/${path}`));
    }
    expect(files.get('copy/checkpoint')).toContain(`${ORIGIN}\n3\n`);
  });

  it('mirrors what it has verified, not what else the gateway shows', async () => {
    const { run, files } = openCommand();
    const gateway = openGateway(FIRST);
    let entryReads = 0;
    const read = (path: string) => {
      if (path.startsWith('/v1/log/tile/0/')) return new Uint8Array(64);
      if (path.startsWith('/v1/log/tile/entries/')) entryReads += 1;
      return entryReads > 1 ? 'rubbish' : gateway.read(path);
    };
    const { code } = await run({ ...gateway, read }, 'mirror', ...FOLLOW, '--folder', 'copy');
    expect(code).toBe(0);
    for (const path of ['tile/entries/000.p/2', 'tile/0/000.p/2']) {
      expect(files.get(`copy/${path}`)).toEqual(gateway.read(`/v1/log/${path}`));
    }
  });

  it('follows a workspace on from the page at which it was interrupted', async () => {
    const { run, files } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    const gateway = openGateway(LATER);
    const pages: string[] = [];
    const inPages = (isCut: boolean) => ({
      ...gateway,
      read: (path: string) => {
        const from = /epochs\?from=(\d+)/.exec(path)?.[1];
        if (from === undefined) return gateway.read(path);
        pages.push(from);
        if (isCut && from !== '0') return undefined;
        return String(gateway.read(path)).split('\n').slice(0, 1).join('\n');
      },
    });
    expect(await run(inPages(true), ...argv)).toMatchObject({ code: 2 });
    expect(JSON.parse(String(files.get('state.json')))).toMatchObject({ opened: 1 });
    const { code, out } = await run(inPages(false), ...argv);
    expect([code, out]).toEqual([0, expect.stringContaining('one history of 5 certificates')]);
    expect(pages).toEqual(['0', '1', '1', '2']);
  });

  it('says since when the gateway shows a workspace', async () => {
    const { run } = openCommand();
    const gateway = openGateway(LATER);
    const [first] = gateway.epochs;
    for (const part of ['treeHead', 'salt', 'path'] as const) delete first![part];
    const { code, out } = await run(gateway, 'follow', ...FOLLOW, '--workspace', WORKSPACE);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('the gateway showed no certificate of it before epoch 1'),
    ]);
  });

  it('follows a workspace', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    const first = await run(openGateway(FIRST), ...argv);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('history of 3 cert')]);
    const second = await run(openGateway(LATER), ...argv);
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('history of 5 cert')]);
  });

  it('reports a stated loss once, and follows the workspace across it', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const [more, all] = [
      [...FIRST, ['lost'], ['lost'], [], [...FIRST.at(-1)!, 'new']],
      [...FIRST, ['lost'], ['lost'], [], [...FIRST.at(-1)!, 'new'], [...FIRST.at(-1)!, 'new']],
    ];
    const loss = { first: FIRST.length, last: FIRST.length + 1 };
    const first = await run(openGateway(more, 'secret', { lost: loss }), ...argv);
    expect(first.out).toContain('LOSS: epoch 4 states that epochs 2 to 3 were lost');
    expect([first.code, first.out]).toEqual([1, expect.stringContaining('history of 4 cert')]);
    const second = await run(openGateway(all, 'secret', { lost: loss }), ...argv);
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('history of 4 cert')]);
  });

  it('does not take an epoch without the workspace for a lost one', async () => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const more = openGateway([...FIRST, FIRST.at(-1)!, FIRST.at(-1)!, FIRST.at(-1)!], 'secret', {
      lost: { first: FIRST.length, last: FIRST.length },
    });
    for (const part of ['treeHead', 'salt', 'path'] as const) delete more.epochs.at(-1)![part];
    const { code, out } = await run(more, ...argv);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('epoch 4 does not have the workspace'),
    ]);
  });

  it.each([
    ['another history', [...FIRST, ['a', 'x', 'c', 'd']], 'tree: the 4 certificates of epoch 2'],
    ['a history cut off', [...FIRST, ['a', 'b']], 'tree: the 2 certificates of epoch 2'],
  ])('names the epoch in which a workspace has %s', async (_name, leaves, message) => {
    const { run } = openCommand();
    const argv = ['follow', ...FOLLOW, '--workspace', WORKSPACE];
    await run(openGateway(FIRST), ...argv);
    const { code, out } = await run(openGateway(leaves), ...argv);
    expect([code, out]).toEqual([1, expect.stringContaining(message)]);
  });

  it('does not accept the head of another workspace', async () => {
    const { run } = openCommand();
    const { code, out } = await run(openGateway(FIRST), 'follow', ...FOLLOW, '--workspace', 'ws_2');
    expect([code, out]).toEqual([1, expect.stringContaining('INVALID: tree_head')]);
  });

  it('prints what a log is, and that its own policy needs no witness', async () => {
    const { run } = openCommand();
    const own = await run(openGateway(FIRST), 'status');
    expect(own.code).toBe(0);
    expect(own.out).toContain('policy: that of the gateway itself');
    expect(own.out).toContain('not witnessed');
    const given = await run(openGateway(FIRST), 'status', '--policy', 'policy.txt');
    expect(given.out).toContain('witness w1: cosigned 2026-');
  });

  it.each([
    ['an unknown command', ['adore']],
    ['no state', ['monitor', '--policy', 'policy.txt']],
    ['no policy', ['monitor', '--state', 'state.json']],
    ['no folder', ['mirror', ...FOLLOW]],
    ['no workspace', ['follow', ...FOLLOW]],
  ])('refuses %s as wrong usage', async (_name, argv) => {
    const { run } = openCommand();
    const { code, out } = await run(openGateway(FIRST), ...argv);
    expect([code, out]).toEqual([2, expect.stringContaining('Usage: witan log status')]);
  });
});
