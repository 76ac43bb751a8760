import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createContext, SourceTextModule } from 'node:vm';
import type { Context } from 'node:vm';
import { describe, expect, it } from '@jest/globals';

const SCRIPT = `
  const text = 'Ann Lee, ann.lee@example.org, +44 20 7946 0123';
  const detect = privacy.createDetector();
  const masker = privacy.createMasker({ key: new Uint8Array(32), detect });
  const masked = masker.mask(text);
  const { restore } = privacy.createRestorer(masker.table);
  globalThis.result = { masked, isSame: restore(masked) === text };
`;

describe('libs/privacy', () => {
  it('detects, masks and restores where there is nothing but the web platform', async () => {
    // No process, no Buffer, no require: only what every browser and worker has.
    const context = createContext({ TextEncoder, TextDecoder, atob, btoa });
    const entry = await linkModule(new URL('index.ts', import.meta.url), context);
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

/** A module and all that it imports, in a context, with their types stripped. */
async function linkModule(entry: URL, context: Context): Promise<SourceTextModule> {
  const modules = new Map<string, SourceTextModule>();

  function moduleAt(href: string): SourceTextModule {
    const known = modules.get(href);
    if (known !== undefined) return known;
    const text = readFileSync(fileURLToPath(href), 'utf8');
    const code = href.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const module = new SourceTextModule(code, { context, identifier: href });
    modules.set(href, module);
    return module;
  }

  const module = moduleAt(entry.href);
  await module.link((name, { identifier }) =>
    moduleAt(name.startsWith('.') ? new URL(name, identifier).href : import.meta.resolve(name)),
  );
  return module;
}
