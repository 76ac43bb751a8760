import { createContext, SourceTextModule } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
// Imports a subpath, because the index of @witan/testing would load the whole system.
import { linkModule } from '@witan/testing/link-module';

const SCRIPT = `
  const text = 'Ann Lee, ann.lee@example.org, +44 20 7946 0123';
  const detect = privacy.createDetector();
  const masker = privacy.createMasker({ key: new Uint8Array(32), detect });
  const masked = masker.mask(text);
  const { restore } = privacy.createRestorer(masker.table);
  globalThis.result = { masked, isSame: restore(masked) === text };
`;

describe('libs/privacy', () => {
  it('detects, masks and restores with web platform globals only', async () => {
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa });
    const resolve = (name: string): string => import.meta.resolve(name);
    const entry = await linkModule(new URL('index.ts', import.meta.url), { context, resolve });
    await entry.evaluate();
    Object.assign(context, { privacy: entry.namespace });
    const run = new SourceTextModule(SCRIPT, { context });
    await run.link(() => {
      throw new Error('the script imports nothing');
    });
    await run.evaluate();
    expect((context as { result?: unknown }).result).toEqual({
      masked: expect.stringMatching(
        /^\[\[PERSON_.{6}\]\], \[\[EMAIL_.{6}\]\], \[\[PHONE_.{6}\]\]$/,
      ),
      isSame: true,
    });
  });
});
