import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureConsole } from '@witan/console-build/ensure-console';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser, openBrowser } from './open-browser.ts';
import type { Browser, Page } from './open-browser.ts';

const VECTORS = new URL('../libs/proof/vectors/tlog/bundles.json', import.meta.url);
type Vectors = {
  policies: Record<string, string>;
  bundles: { name: string; valid: boolean; policy: string; bundle: string }[];
};

const itInBrowser = inBrowser(it);

describe(`the page that verifies bundles, from a disk${BROWSER_NOTE}`, () => {
  let browser: Browser | undefined;
  let page: Page;
  let url: string;
  let vectors: Vectors;
  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    url = pathToFileURL(join(await ensureConsole(), 'verify.html')).href;
    vectors = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
    browser = await openBrowser();
    page = browser.page;
    await page.goto(url);
  }, 300_000);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  const verify = (bundle: string, policy: string): Promise<{ verdict: string; text: string }> =>
    page.read(`(() => {
      document.getElementById('bundle').value = ${JSON.stringify(bundle)};
      document.getElementById('policy').value = ${JSON.stringify(policy)};
      document.getElementById('verify').click();
      const result = document.getElementById('result');
      return { verdict: result.firstChild.textContent, text: result.innerText };
    })()`);

  itInBrowser('has the verdicts of all vectors', async () => {
    for (const { name, valid, policy, bundle } of vectors.bundles) {
      const { verdict } = await verify(bundle, vectors.policies[policy]!);
      expect([name, verdict.startsWith('Valid')]).toEqual([name, valid]);
    }
  });

  itInBrowser('says when the log is not witnessed', async () => {
    const [{ bundle }] = vectors.bundles as [Vectors['bundles'][number]];
    const { verdict, text } = await verify(bundle, vectors.policies['none']!);
    expect(verdict).toContain('not witnessed');
    expect(text).toContain('Not witnessed');
    const invalid = await verify(bundle, 'quorum nobody');
    expect(invalid.verdict).toContain('The policy cannot be used');
  });

  itInBrowser('sends nothing, and cannot', async () => {
    const failed = await page.read<string>(
      "fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.name)",
    );
    expect(failed).toBe('TypeError');
    expect(page.log.requests.filter((one) => !one.startsWith('file:'))).toEqual([]);
    const size = (await readFile(new URL(url))).length;
    expect(size).toBeLessThan(64 * 1024);
  });
});
