import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkBundle, parsePolicy, ProofError } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import {
  cosignedText,
  createNoteKey,
  formatSignatureLine,
  parseNote,
} from '@witan/proof/tlog/note';
import { formatPolicy } from '@witan/proof/tlog/policy';
import { parseTlogProof } from '@witan/proof/tlog/tlog-proof';
import { PING } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openWitnesses } from './open-witnesses.ts';
import { makeRandomBundles } from './random-bundles.ts';

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL('../examples/verify-go', import.meta.url));
const VECTORS = new URL('../libs/proof/vectors/tlog/bundles.json', import.meta.url);
/** The first build compiles parts of Go's standard library. */
const BUILD_TIMEOUT_MS = 300_000;

/** 1,000 take minutes, so they are a run of their own: docs/transparency.md. */
const RANDOM_BUNDLES = Number(process.env['WITAN_RANDOM_BUNDLES'] ?? 40);
const RANDOM_TIMEOUT_MS = 600_000;

type Vectors = {
  policies: Record<string, string>;
  bundles: { name: string; valid: boolean; policy: string; bundle: string; laxer?: string }[];
};

const go = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
  .map((folder) => join(folder, 'go'))
  .find((file) => existsSync(file));
const itWithGo = go === undefined ? it.skip : it;

describe(`the Go verifier${go === undefined ? ' (skipped: there is no go)' : ''}`, () => {
  let folder: string;
  let fixture: Fixture | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-verify-go-'));
    if (go === undefined) return;
    const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '', GOPROXY: 'off' };
    await run(go, ['build', '-o', join(folder, 'verify'), '.'], { cwd: SOURCE, env });
    fixture = await openFixture({ env: { WITAN_LOG_INTERVAL_MS: '200' } });
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await fixture?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const verify = async (bundle: string, policy: string): Promise<string> => {
    const files = [join(folder, 'bundle.json'), join(folder, 'policy.txt')] as const;
    await writeFile(files[0], bundle);
    await writeFile(files[1], policy);
    return await run(join(folder, 'verify'), files).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  };

  itWithGo('has at most 275 lines', async () => {
    const source = await readFile(join(SOURCE, 'main.go'), 'utf8');
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(275);
  });

  itWithGo('has the verdicts of the vectors', async () => {
    const { policies, bundles } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
    for (const { name, valid, policy, bundle } of bundles) {
      const isValid = (await verify(bundle, policies[policy]!)).startsWith('valid');
      expect([name, isValid]).toEqual([name, valid]);
    }
  });

  itWithGo('has the verdicts of the library on other spellings', async () => {
    const { policies, bundles } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
    const { policy, bundle } = bundles.find(({ valid }) => valid)!;
    const spellings: [string, string][] = [
      ['"witanBundle":1', '"witanBundle":1.0'],
      ['"v":1', '"v":1e0'],
      ['"masked":0', '"masked":-0'],
      ['"v":1', '"v":1,"v":1'],
      ['"witanBundle"', '"witanbundle"'],
      ['"witanBundle"', String.raw`"\u0077itanBundle"`],
      ['"openai"', String.raw`"\u006fpenai"`],
      ['"openai"', String.raw`"\ud800openai"`],
      ['{', '\uFEFF{'],
      ['{', ' \r\n{'],
      [String.raw`PUBLIC KEY-----\n`, String.raw`PUBLIC KEY-----\r\n`],
    ];
    for (const [from, to] of spellings) {
      const changed = bundle.replace(from, to);
      expect(changed).not.toBe(bundle);
      const { verified } = checkBundle(changed, parsePolicy(policies[policy]!));
      const isValid = (await verify(changed, policies[policy]!)).startsWith('valid');
      expect([to, isValid]).toEqual([to, verified !== undefined]);
    }
  });

  itWithGo('counts the cosignatures that the library counts, by their times', async () => {
    const { policies, bundles } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
    const { bundle } = bundles.find((one) => one.valid && one.policy === 'two of three')!;
    const { logs } = parsePolicy(policies['two of three']!);
    const parsed = JSON.parse(bundle) as { certificate: Certificate; log: string };
    const { text } = parseNote(parseTlogProof(parsed.log).checkpoint);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const witness = createNoteKey({ name: 'w1', type: 4, key });
    const policy = formatPolicy({
      logs: logs.map((log) => log.key),
      witnesses: [witness],
      threshold: 1,
    });
    const cosign = (time: bigint): string => {
      const signature = sign(null, Buffer.from(cosignedText(text, time)), privateKey);
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(time);
      return `${formatSignatureLine(witness, Buffer.concat([bytes, signature]))}\n`;
    };
    const issued = BigInt(Math.floor(Date.parse(parsed.certificate.payload.issuedAt) / 1000));
    const last = 8_640_000_000_000n;
    const cases = [[issued], [last], [last + 1n], [2n ** 64n - 1n], [0n], [0n, issued]];
    for (const times of [...cases, [2n ** 64n - 1n, issued]]) {
      const changed = JSON.stringify({ ...parsed, log: parsed.log + times.map(cosign).join('') });
      const { verified } = checkBundle(changed, parsePolicy(policy));
      const isValid = (await verify(changed, policy)).startsWith('valid');
      expect([times, isValid]).toEqual([times, verified !== undefined]);
    }
  });

  itWithGo(
    'refuses policies in which a witness would count twice, as the library does',
    async () => {
      const { policies, bundles } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
      const policy = policies['two of three']!;
      const { bundle } = bundles.find((one) => one.valid && one.policy === 'two of three')!;
      expect(await verify(bundle, policy)).toMatch(/^valid/);
      const [, witness] = /^witness \S+ (\S+)/m.exec(policy)!;
      const twice = [
        policy.replace(/^(group \S+ 2) (\S+) .*$/m, '$1 $2 $2'),
        policy.replace(/^group .*$/m, `witness again ${witness}\n$&`),
        policy.replace(/^group .*$/m, '$&\n$&'),
        `${policy}quorum none\n`,
      ];
      for (const changed of twice) {
        expect(() => parsePolicy(changed)).toThrow(ProofError);
        expect(await verify(bundle, changed)).toMatch(/^INVALID: policy: .* is there twice/);
      }
    },
  );

  itWithGo('verifies a bundle of a running system', async () => {
    const { client, system } = fixture!;
    const { headers } = await client.complete(PING);
    const id = headers.get('x-service-proof')!;
    const prefer = { authorization: `Bearer ${system.apiKey}`, prefer: 'wait=20' };
    const { text } = await client.send(`/v1/proofs/${id}/bundle`, { headers: prefer });
    const { json } = await client.send('/v1/log', { headers: {} });
    const printed = await verify(text, (json as { policy: string }).policy);
    expect(printed).toMatch(new RegExp(`^valid: ${id}, number \\d+ of ws_\\w+, not witnessed\n$`));
  });

  itWithGo(
    `has the verdicts of the library on ${RANDOM_BUNDLES} random bundles, half of them changed`,
    async () => {
      await using witnesses = await openWitnesses(join(folder, 'log'), 'log.witan.test/go');
      await using witnessed = await openFixture({ env: witnesses.env });
      const seed = Date.now();
      const bundles = await makeRandomBundles(witnessed, { count: RANDOM_BUNDLES, seed });
      const policy = parsePolicy(witnesses.policy);
      let valid = 0;
      for (const bundle of bundles) {
        const printed = await verify(bundle, witnesses.policy);
        const { verified } = checkBundle(bundle, policy);
        const isValid = verified !== undefined;
        expect({ seed, bundle, printed, isValid: printed.startsWith('valid') }).toEqual({
          ...{ seed, bundle, isValid },
          printed: expect.stringContaining(verified?.witnessedAt?.slice(0, 19) ?? ''),
        });
        if (isValid) valid += 1;
      }
      // Some changes only make one of three witnesses an unknown one.
      expect(valid).toBeGreaterThanOrEqual(Math.ceil(RANDOM_BUNDLES / 2));
      expect(valid).toBeLessThan(RANDOM_BUNDLES);
    },
    RANDOM_TIMEOUT_MS,
  );
});
