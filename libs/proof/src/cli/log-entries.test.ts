import { describe, expect, it } from '@jest/globals';
import { openCommand, openGateway, WORKSPACE } from '../../test/open-log-gateway.ts';
import { encodeBase64 } from '../bytes.ts';
import { lossEntry } from '../tlog/loss.ts';

const OPTIONS = ['--policy', 'policy.txt', '--state', 'state.json'];
const EPOCHS = [['a'], ['a', 'b', 'c']];
const HASH = encodeBase64(new Uint8Array(32).fill(7));

describe.each([
  ['monitor', ['monitor', ...OPTIONS]],
  ['mirror', ['mirror', ...OPTIONS, '--folder', 'copy']],
  ['follow', ['follow', ...OPTIONS, '--workspace', WORKSPACE]],
])('witan log %s', (_command, argv) => {
  it.each<[string, string | Uint8Array]>([
    ['no text', ''],
    ['another text', 'hello\n'],
    ['an epoch of another version', `witan-epoch/v2\n${HASH}\n${HASH}\n`],
    ['an epoch without its last line feed', `witan-epoch/v1\n${HASH}\n${HASH}`],
    ['an epoch with a further line', `witan-epoch/v1\n${HASH}\n${HASH}\n\n`],
    ['an epoch with a short root', `witan-epoch/v1\n${HASH.slice(4)}\n${HASH}\n`],
    ['an epoch with spare bits', `witan-epoch/v1\n${HASH}\n${HASH.replace(/.=$/, 'd=')}\n`],
    ['a loss with a leading zero', 'witan-loss/v1\n00\n1\n'],
    ['a loss in reverse', 'witan-loss/v1\n1\n0\n'],
    ['a loss of the future', 'witan-loss/v1\n0\n2\n'],
    ['a loss without its last line feed', 'witan-loss/v1\n0\n1'],
    ['a loss behind a byte order mark', '\uFEFFwitan-loss/v1\n0\n1\n'],
    ['an entry that is not UTF-8', Uint8Array.of(0xff)],
  ])('refuses %s, and stores no position', async (_name, entry) => {
    const { run, files } = openCommand();
    const gateway = openGateway(EPOCHS, 'secret', { odd: [entry] });
    for (let times = 0; times < 2; times += 1) {
      const { code, out } = await run(gateway, ...argv);
      const message =
        typeof entry === 'string'
          ? 'INVALID: epoch: entry 2 is neither an epoch nor a loss of earlier ones'
          : 'INVALID: note: a file of the log is not UTF-8';
      expect([code, out]).toEqual([1, expect.stringContaining(message)]);
    }
    expect([...files.keys()]).toEqual(['policy.txt']);
  });
});

describe('witan log monitor', () => {
  it('reports a loss that is stated in the prescribed form', async () => {
    const { run } = openCommand();
    const gateway = openGateway(EPOCHS, 'secret', { odd: [lossEntry({ first: 0, last: 1 })] });
    const { code, out } = await run(gateway, 'monitor', ...OPTIONS);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('LOSS: epoch 2 states that epochs 0 to 1 were lost'),
    ]);
  });
});
