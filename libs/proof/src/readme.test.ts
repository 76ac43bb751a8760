import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { vectorText } from '../test/vector-file.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { parseCertificate } from './certificate.ts';
import { genesisHash } from './verify-chain.ts';
import { canonicalJson, commit, commitmentText } from './commitment.ts';
import { PROOF_REASONS } from './errors.ts';
import * as library from './index.ts';
import { parseSavedAnswer } from './saved-answer.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const body = JSON.parse(vectorText('request.json')) as unknown;
const choices = parseSavedAnswer(new TextEncoder().encode(vectorText('response.json')));
const certificate = parseCertificate(vectorText('certificate.json'));
const { payload, payload_hash, signature } = certificate;

describe('README.md', () => {
  it.each([
    ['the request', vectorText('request.json')],
    ['its commitment', `${commitmentText(body)}\n${commit(body)}`],
    ['the answer', `${answerCommitmentText(choices)}\n${commitAnswer(choices)}`],
    ['the payload', `${canonicalJson(payload)}\n${payload_hash}\n${signature}`],
  ])('shows %s as the code computes it', (_name, text) => {
    expect(readme).toContain(`\n\`\`\`text\n${text}\n\`\`\`\n`);
  });

  it('has a certificate that commits to the worked example', () => {
    expect(payload.request.sha256).toBe(commit(body));
    expect(payload.response.sha256).toBe(commitAnswer(choices));
    expect(readme).toContain(`# ${genesisHash('witan', 'ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D')}\n`);
    expect(payload.prevHash).toBe(genesisHash('witan', 'ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D'));
  });

  it('has an example program that runs', () => {
    const program = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
    const cwd = fileURLToPath(new URL('../vectors/', import.meta.url));
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd });
    expect(out.toString()).toMatch(
      /^pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A is valid, signed by [0-9a-f]+\n$/,
    );
  });

  const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
  (hasPython ? it : it.skip)(
    `has a Python program with the verdicts of the library${hasPython ? '' : ' (skipped: python3 has no cryptography)'}`,
    () => {
      const program = /```python\n(.*?)```/s.exec(readme)![1]!;
      const folder = mkdtempSync(join(tmpdir(), 'witan-readme-'));
      const [file, pem] = [join(folder, 'certificate.json'), join(folder, 'public-key.pem')];
      writeFileSync(pem, vectorText('public-key.pem'));
      const keys = library.parsePublicKeys(vectorText('public-key.pem'));
      const text = vectorText('certificate.json');
      const texts: [string, boolean][] = [
        [text, true],
        [`\r\n ${JSON.stringify(JSON.parse(text), null, 2)}\n`, true],
        [text.replace('"openai"', String.raw`"\u006fpenai"`), true],
        [`\uFEFF${text}`, false],
        [text.replace('"v":1', '"v":1.0'), false],
        [text.replace('"v":1', '"v":1e0'), false],
        [text.replace('"v":1', '"v":1,"v":1'), false],
        [text.replace('"masked":0', '"masked":-0'), false],
        [text.replace('"masked":0', '"masked":NaN'), false],
        [text.replace('"masked":0', '"masked":00'), false],
        [text.replace('"openai"', '"\ud800openai"'), false],
        [text.replace('"promptTokens":13', '"promptTokens":12'), false],
      ];
      for (const [source, isValid] of texts) {
        writeFileSync(file, source);
        const { status } = spawnSync('python3', ['-c', program, file, pem]);
        expect([source, status === 0]).toEqual([source, isValid]);
        expect([source, verifies(source, keys)]).toEqual([source, isValid]);
      }
      rmSync(folder, { recursive: true });
    },
  );

  it('names every export', () => {
    expect(Object.keys(library).filter((name) => !readme.includes(`\`${name}`))).toEqual([]);
  });

  it('lists every reason with its meaning', () => {
    const rows = Object.entries(PROOF_REASONS).map(
      ([reason, text]) => `| \`${reason}\` | ${text} |`,
    );
    const unpadded = readme.replaceAll(/ {2,}/g, ' '); // The formatter pads table cells.
    expect(rows.filter((row) => !unpadded.includes(row))).toEqual([]);
  });
});

function verifies(source: string, keys: library.PublicKeys): boolean {
  try {
    library.verifyCertificate(source, keys);
    return true;
  } catch {
    return false;
  }
}
