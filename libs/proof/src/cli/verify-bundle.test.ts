import { describe, expect, it } from '@jest/globals';
import { tlogVectors } from '../../test/tlog-vectors.ts';
import type { CommandIo } from './command-io.ts';
import { runVerify } from './verify.ts';

const { policies, bundles } = tlogVectors('bundles');
const bundle = bundles[0]!.bundle;
const keyOf = (kind: string): string[] =>
  [...policies['two of three']!.matchAll(new RegExp(`^${kind} .*?(\\S+\\+\\S+)$`, 'gm'))].map(
    ([, key]) => key!,
  );
const FILES: Record<string, string> = {
  'bundle.json': bundle,
  'spaced.json': bundles.find(({ name }) => name.startsWith('white space'))!.bundle,
  'forged.json': bundle.replace('"totalTokens":17', '"totalTokens":18'),
  'policy.txt': policies['two of three']!,
  'none.txt': policies['none']!,
  'bad.txt': 'quorum nobody\n',
  'certificate.json': JSON.stringify((JSON.parse(bundle) as { certificate: object }).certificate),
};

const run = async (...argv: string[]) => {
  const [out, errors]: [string[], string[]] = [[], []];
  const io: CommandIo = {
    stdout: (line) => void out.push(line),
    stderr: (line) => void errors.push(line),
    async *readFile(path) {
      const text = FILES[path];
      if (text === undefined) throw new Error('no such file');
      yield new TextEncoder().encode(text);
    },
    fetch: () => {
      throw new Error('a bundle is verified without the network');
    },
  };
  return { code: await runVerify(argv, io), out, errors };
};

describe('witan verify of a bundle', () => {
  it('prints every check and what the bundle proves', async () => {
    const { code, out } = await run('bundle.json', '--policy', 'policy.txt', '--within', '10m');
    expect(out.slice(1)).toEqual([
      'form          ok',
      'certificate   ok      key cf949fe1cdd657fc',
      'known log     ok      log.witan.example/proto',
      'tree          ok      number 349 of the 350 of ws_a',
      'epoch         ok      number 708 of the 709 of the log',
      'witnesses     ok      litewitness-1 at 2026-11-23T01:05:17.000Z, ' +
        'litewitness-2 at 2026-11-23T01:05:17.000Z, omniwitness at 2026-11-23T01:05:17.000Z',
      'time          ok      existed at 2026-11-23T01:05:17.000Z',
      'valid',
    ]);
    expect(out[0]).toMatch(/^pf_\w+ of witan, 2026-11-23T01:05:12\.726Z: asked for gpt-4o-mini/);
    expect(code).toBe(0);
  });

  it('says that a log without witnesses is not witnessed', async () => {
    const { code, out } = await run('bundle.json', '--policy', 'none.txt');
    expect(code).toBe(0);
    const lines = out.filter((line) => /^(?:witnesses|time) +none +not witnessed: /.test(line));
    expect(lines).toHaveLength(2);
    const json = await run('bundle.json', '--policy', 'none.txt', '--json');
    expect(JSON.parse(json.out.join(''))).toMatchObject({ valid: true, witnessed: false });
  });

  it('prints the first check that failed, and those that were not made', async () => {
    const { code, out } = await run('forged.json', '--policy', 'policy.txt');
    expect(code).toBe(1);
    expect(out[2]).toBe('certificate   FAILED  the payload is not the one that was hashed');
    expect(out.filter((line) => line.endsWith('not checked'))).toHaveLength(5);
    expect(out.at(-1)).toMatch(/^INVALID: certificate: the payload hashes to /);
  });

  it('prints one JSON object with --json', async () => {
    const { out } = await run('spaced.json', '--policy', 'policy.txt', '--json');
    expect(JSON.parse(out.join(''))).toMatchObject({
      valid: true,
      log: 'log.witan.example/proto',
      epoch: 708,
      treeSize: 350,
      witnessed: true,
      witnessedAt: '2026-11-23T01:05:17.000Z',
      checks: { form: { ok: true }, knownLog: { ok: true }, time: { ok: true } },
    });
    const failed = await run('bundle.json', '--policy', 'policy.txt', '--within', '1s', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out.join(''))).toMatchObject({
      valid: false,
      witnessed: false,
      checks: { time: { ok: false, reason: 'witnessed_late' } },
    });
  });

  it.each([
    ['all witnesses by default', [], 0],
    ['a smaller quorum', ['--quorum', '2'], 0],
    ['none', ['--quorum', '0'], 0],
  ])('accepts keys instead of a policy: %s', async (_name, quorum, expected) => {
    const keys = [
      ...keyOf('log').flatMap((key) => ['--log-key', key]),
      ...keyOf('witness').flatMap((key) => ['--witness-key', key]),
    ];
    expect(keys).toHaveLength(8);
    expect((await run('bundle.json', ...keys, ...quorum)).code).toBe(expected);
  });

  it('checks the request, too', async () => {
    FILES['request.json'] = '{}';
    const argv = ['bundle.json', '--policy', 'policy.txt', '--request', 'request.json'];
    const { code, out } = await run(...argv);
    expect(code).toBe(1);
    expect(out.at(-1)).toMatch(/^INVALID: request: /);
  });

  it.each([
    ['no policy', ['bundle.json']],
    ['a bundle with a public key', ['bundle.json', '--public-key', 'key.pem']],
    [
      'a bundle with policy and key',
      ['bundle.json', '--policy', 'policy.txt', '--public-key', 'x'],
    ],
    ['a policy from the network', ['bundle.json', '--policy', 'https://log.example/policy']],
    ['a policy that cannot be parsed', ['bundle.json', '--policy', 'bad.txt']],
    ['a policy and keys', ['bundle.json', '--policy', 'policy.txt', '--log-key', 'x']],
    ['witnesses without a log', ['bundle.json', '--witness-key', 'x']],
    ['a key of another form', ['bundle.json', '--log-key', 'x']],
    ['a quorum of more than all', ['bundle.json', '--log-key', keyOf('log')[0]!, '--quorum', '1']],
    ['a time without a unit', ['bundle.json', '--policy', 'policy.txt', '--within', '10']],
    ['a missing file', ['missing.json', '--policy', 'policy.txt']],
  ])('refuses %s as wrong usage', async (_name, argv) => {
    const { code, out, errors } = await run(...argv);
    expect([code, out]).toEqual([2, []]);
    expect(errors.at(-1)).toMatch(/^Usage: witan verify FILE/);
  });

  it('refuses a certificate where a bundle is expected', async () => {
    const { code, out } = await run('certificate.json', '--policy', 'policy.txt');
    expect(code).toBe(1);
    expect(out.at(-1)).toBe('INVALID: form: bundle.witanBundle is missing');
  });
});
