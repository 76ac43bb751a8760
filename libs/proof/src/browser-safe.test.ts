import { readdirSync, readFileSync } from 'node:fs';
import { createContext, SourceTextModule } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
// Imported without the index of @witan/testing, which would load the whole system.
import { linkModule } from '@witan/testing/link-module';
import { vectorText } from '../test/vector-file.ts';

const source = new URL('./', import.meta.url);
const ALLOWED_PACKAGES = ['@noble/ed25519', '@noble/hashes/sha2.js', '@noble/hashes/utils.js'];

function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, source), 'utf8');
  return [...text.matchAll(/(?:from|import) '([^']+)'/g)].map(([, name]) => name as string);
}

describe('libs/proof', () => {
  const files = ['', 'tlog/'].flatMap((folder) =>
    readdirSync(new URL(folder, source), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
      .map((entry) => `${folder}${entry.name}`),
  );

  it.each(files)('imports only its own files and noble: %s', (file) => {
    const disallowed = importsOf(file).filter(
      (name) =>
        !/^\.\.?\/(?:tlog\/)?[a-z0-9-]+\.ts$/.test(name) && !ALLOWED_PACKAGES.includes(name),
    );
    expect(disallowed).toEqual([]);
  });

  it('verifies with only the globals of the web platform', async () => {
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa });
    const resolve = (name: string): string => import.meta.resolve(name);
    const entry = await linkModule(new URL('index.ts', source), { context, resolve });
    await entry.evaluate();
    Object.assign(context, { proof: entry.namespace, texts: [...TEXTS] });
    const run = new SourceTextModule(SCRIPT, { context });
    await run.link(() => {
      throw new Error('the script imports nothing');
    });
    await run.evaluate();
    expect((context as { result?: unknown }).result).toEqual('pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A 6');
  });
});

const TEXTS = ['certificate.json', 'public-key.json', 'chain.json', 'request.json'].map(vectorText);

const SCRIPT = `
  const [certificate, publicKey, chain, request] = texts;
  const keys = proof.parsePublicKeys(publicKey);
  const { payload } = proof.verifyCertificate(certificate, keys);
  proof.verifyRequest(payload, request);
  globalThis.result = payload.id + ' ' + proof.verifyChainDocument(chain, { keys }).count;
`;
