import { describe, expect, it } from '@jest/globals';
import { tlogVectors } from '../../test/tlog-vectors.ts';
import { vectorText } from '../../test/vector-file.ts';
import type { CommandIo } from './command-io.ts';
import { runVerifyChain } from './verify-chain.ts';
import { runVerify } from './verify.ts';

// Spellings for which two verifiers could have two verdicts; docs/format.md says which one holds.

const { policies, bundles } = tlogVectors('bundles');
const [chain, certificate, keys, pem] = [
  'chain.ndjson',
  'certificate.json',
  'public-key.json',
  'public-key.pem',
].map(vectorText) as [string, string, string, string];
const policy = policies['two of three']!;
const BOM = '\uFEFF';
const NBSP = '\u00A0';

const run = async (
  command: typeof runVerify,
  argv: readonly string[],
  files: Record<string, string | Uint8Array>,
): Promise<number> => {
  const io: CommandIo = {
    stdout: () => {},
    stderr: () => {},
    async *readFile(path) {
      yield Buffer.from(files[path]!);
    },
    fetch: () => {
      throw new Error('nothing is fetched');
    },
  };
  return await command(argv, io);
};

describe('witan verify', () => {
  it.each<[string, Record<string, string | Uint8Array>, number]>([
    ['as it is', {}, 0],
    ['white space around a certificate', { certificate: `\r\n\t ${certificate}\n\n` }, 0],
    ['a byte order mark before a certificate', { certificate: BOM + certificate }, 1],
    ['another white space before a certificate', { certificate: NBSP + certificate }, 1],
    ['white space around the keys', { keys: `\n\n ${keys}\r\n` }, 0],
    ['a byte order mark before the keys', { keys: BOM + keys }, 2],
    ['another white space before the keys', { keys: NBSP + keys }, 2],
    ['a PEM with CRLF and a blank line', { keys: `\n${pem.replaceAll('\n', '\r\n')}\n` }, 0],
    ['a byte order mark before a PEM', { keys: BOM + pem }, 2],
    ['a PEM behind a text', { keys: `my key\n${pem}` }, 2],
    ['keys that are not UTF-8', { keys: Buffer.from(`${pem}\u00ff`, 'latin1') }, 2],
    ['keys with an unknown member', { keys: keys.replace('{', '{"revoked":[],') }, 2],
    ['keys with a fraction', { keys: keys.replace('null', '1.0') }, 2],
    ['keys that do not hold the named one', { keys: withoutNamedKey() }, 2],
  ])('%s', async (_name, changed, code) => {
    const files = { certificate, keys, ...changed };
    expect(await run(runVerify, ['certificate', '--public-key', 'keys'], files)).toBe(code);
  });

  it.each<[string, string | Uint8Array, number]>([
    ['as it is', policy, 0],
    ['a byte order mark', BOM + policy, 2],
    ['a carriage return', policy.replaceAll('\n', '\r\n'), 2],
    ['a comment in Latin-1', Buffer.from(`# f\u00fcr uns\n${policy}`, 'latin1'), 0],
    ['names in Latin-1', Buffer.from(renamed('\u00fc', '\u00e4'), 'latin1'), 0],
    ['one name in Latin-1 twice', Buffer.from(renamed('\u00fc', '\u00fc'), 'latin1'), 2],
    ['a quorum in UTF-8, its group in Latin-1', Buffer.concat(twoEncodings()), 2],
  ])('a policy with %s', async (_name, text, code) => {
    const files = { bundle: bundles[0]!.bundle, text };
    expect(await run(runVerify, ['bundle', '--policy', 'text'], files)).toBe(code);
  });
});

describe('witan verify-chain', () => {
  const [header = '', first = '', ...rest] = chain.trimEnd().split('\n');
  it.each<[string, string, number]>([
    ['no final line feed', chain.trimEnd(), 0],
    ['blank lines everywhere', `\n \t\n${header}\n\r\n${first}\n\n${rest.join('\n')}\n\n`, 0],
    ['lines that end with CRLF', chain.replaceAll('\n', '\r\n'), 0],
    ['a line of other white space', `${header}\n${NBSP}\n${first}\n`, 1],
    ['a byte order mark', BOM + chain, 1],
    ['a byte order mark at a later line', `${header}\n${BOM}${first}\n`, 1],
    ['two certificates in a line', `${header}\n${first} ${rest[0]}\n`, 1],
    ['a header behind a certificate', `${first}\n${header}\n`, 1],
    ['the JSON form', vectorText('chain.json'), 0],
    ['the JSON form in lines', `\n${pretty(vectorText('chain.json'))}\n`, 0],
    ['the JSON form and a line', `${vectorText('chain.json')}\n{}`, 1],
    ['a JSON form with an unknown member', vectorText('chain.json').replace('{', '{"x":1,'), 1],
  ])('%s', async (_name, text, code) => {
    expect(
      await run(runVerifyChain, ['chain', '--public-key', 'keys'], { chain: text, keys }),
    ).toBe(code);
  });

  it('checks the form of the keys of a header that it does not use', async () => {
    const text = chain.replace('"notAfter":null', '"notAfter":"never"');
    expect(
      await run(runVerifyChain, ['chain', '--public-key', 'keys'], { chain: text, keys }),
    ).toBe(1);
  });
});

function withoutNamedKey(): string {
  const response = JSON.parse(keys) as { keys: object[] };
  return JSON.stringify({ ...response, keys: response.keys.slice(0, 1) });
}

/** Returns the policy with other names of its first two witnesses. */
function renamed(first: string, second: string): string {
  const [a = '', b = ''] = [...policy.matchAll(/^witness (\S+)/gm)].map(([, name]) => name!);
  const rename = (text: string, from: string, to: string) =>
    text.replaceAll(new RegExp(`(?<=^witness |^group .*)\\b${from}(?= |$)`, 'gm'), to);
  return rename(rename(policy, a, first), b, second);
}

function twoEncodings(): Buffer[] {
  const group = /^group (\S+)/m.exec(policy)![1]!;
  const [before = ''] = policy.split(/^quorum/m);
  return [
    Buffer.from(before.replace(`group ${group}`, 'group \u00fc'), 'latin1'),
    Buffer.from('quorum \u00fc\n'),
  ];
}

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
