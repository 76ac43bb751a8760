import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BUNDLE_POLICY, makeBundle } from '../../test/make-bundle.ts';
import { chainLines, exampleChain } from '../../vectors/samples.ts';
import type { CommandIo } from './command-io.ts';
import { runVerifyChain } from './verify-chain.ts';

const chain = exampleChain();
const lines = chainLines();

const run = async (files: Record<string, string>, ...argv: string[]) => {
  const out: string[] = [];
  const io: CommandIo = {
    stdout: (line) => void out.push(line),
    stderr: (line) => void out.push(line),
    async *readFile(path) {
      yield new TextEncoder().encode(files[path] ?? '');
    },
    fetch: () => {
      throw new Error('not used');
    },
  };
  return { code: await runVerifyChain(argv, io), out: out.join('\n') };
};

/** Verifies an export of the first `count` certificates with a bundle. */
const verify = (count: number, bundle: string, ...more: string[]) => {
  const exported = lines.slice(0, count + 1).join('\n');
  const files = { 'export.ndjson': exported, 'bundle.json': bundle, 'policy.txt': BUNDLE_POLICY };
  const options = ['--bundle', 'bundle.json', '--policy', 'policy.txt'];
  return run(files, 'export.ndjson', ...options, ...more);
};

/** The key list of an attacker. */
const forgedKeys = () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  return [
    {
      keyId: createHash('sha256').update(raw).digest('hex').slice(0, 16),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      ...{ notBefore: null, notAfter: null },
    },
  ];
};

describe('witan verify-chain --bundle', () => {
  it.each([5, 6])(
    'accepts an export of %d certificates that has the 5 of the log',
    async (count) => {
      const { code, out } = await verify(count, makeBundle(chain.slice(0, 5), 3));
      expect(code).toBe(0);
      expect(out).toContain('end: the 5 of epoch 0 of log.test/bundle are there; not witnessed');
      expect(out).not.toContain('end: unknown');
    },
  );

  it('says how many certificates the bundle does not cover', async () => {
    const { out } = await verify(6, makeBundle(chain.slice(0, 5), 3));
    expect(out).toContain('later certificates, which the bundle does not cover: 1');
    const json = await verify(6, makeBundle(chain.slice(0, 5), 3), '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      ...{ valid: true, count: 6, covered: 5, epoch: 0, witnessed: false, keySource: 'log' },
    });
  });

  it('does not trust a key that only the export names', async () => {
    const [header, ...rest] = lines;
    const json = JSON.parse(header!) as { chain: { keys: { publicKey: string }[] } };
    json.chain.keys = forgedKeys();
    const files = {
      'export.ndjson': [JSON.stringify(json), ...rest].join('\n'),
      'bundle.json': makeBundle(chain.slice(0, 5), 3),
      'policy.txt': BUNDLE_POLICY,
    };
    const options = ['--bundle', 'bundle.json', '--policy', 'policy.txt'];
    expect(await run(files, 'export.ndjson', ...options)).toMatchObject({ code: 0 });
    expect(await run(files, 'export.ndjson')).toMatchObject({ code: 1 });
  });

  it('notices certificates that are cut off at the end', async () => {
    const { code, out } = await verify(4, makeBundle(chain.slice(0, 5), 3));
    expect([code, out]).toEqual([1, expect.stringContaining('INVALID: truncated at index 4')]);
  });

  it('notices another history than that of the log', async () => {
    const other = [...chain.slice(0, 4), chain[5]!];
    const { code, out } = await verify(6, makeBundle(other, 3), '--json');
    expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ reason: 'tree' })]);
  });

  it('refuses a bundle that is not valid', async () => {
    const bundle = makeBundle(chain.slice(0, 5), 3).replace('"totalTokens":17', '"totalTokens":18');
    const { code, out } = await verify(6, bundle);
    expect([code, out]).toEqual([1, expect.stringContaining('INVALID: payload_hash')]);
  });

  it('refuses a policy without a bundle as wrong usage', async () => {
    const { code, out } = await run({ a: '' }, 'a', '--policy', 'policy.txt');
    expect([code, out]).toEqual([2, expect.stringContaining('of use with --bundle only')]);
  });
});
