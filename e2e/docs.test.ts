import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser, openBrowser } from './open-browser.ts';
import type { Browser, Page } from './open-browser.ts';

/** Folder to write screenshots to; if empty, none are written. */
const { WITAN_SCREENSHOTS = '' } = process.env;

const SIZES = [
  { name: 'wide', width: 1440, height: 900 },
  { name: 'tablet', width: 820, height: 1100 },
  { name: 'phone', width: 390, height: 844 },
] as const;
const THEMES = ['light', 'dark'] as const;
const VIEWS = SIZES.flatMap((size) => THEMES.map((theme) => ({ ...size, theme })));

/** Minimum contrast ratio of normal text according to WCAG 2.1, criterion 1.4.3. */
const CONTRAST_MIN = 4.5;

/**
 * JavaScript that returns the lowest contrast ratio between text and background on the page, and
 * the two colors that have it.
 */
const LOWEST_CONTRAST = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const toRgb = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (color) => {
    const [r, g, b] = toRgb(color)
      .map((one) => one / 255)
      .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor;
    }
    return 'white';
  };
  const pairs = new Set();
  for (const element of document.querySelectorAll('body *:not(script):not(style)')) {
    if ([...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim()))
      pairs.add(getComputedStyle(element).color + '|' + groundOf(element));
  }
  const ratios = [...pairs].map((pair) => {
    const [a, b] = pair.split('|').map(light).sort((one, other) => other - one);
    return [(a + 0.05) / (b + 0.05), pair];
  });
  return ratios.sort((one, other) => one[0] - other[0])[0];
})()`;

const itInBrowser = inBrowser(it);

describe('the reference page', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await openTestSystem();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it('is public and has a policy that forbids all other content', async () => {
    const { status, headers, text } = await createHttpClient(system).send('/docs', { headers: {} });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text.match(/\b(?:src|href)="(?:https?:)?\/\/[^"]*"/g)).toBeNull();
  });

  it.each(['/docs', '/v1/openapi.json'])('sends %s compressed, and not again', async (path) => {
    const request = async (headers: Record<string, string>) => {
      const response = await fetch(`${system.baseUrl}${path}`, { headers });
      return { response, text: await response.text() };
    };
    const compressed = await request({ 'accept-encoding': 'gzip' });
    const plain = await request({ 'accept-encoding': 'identity' });
    const lengthOf = ({ response }: typeof plain): number =>
      Number(response.headers.get('content-length'));
    expect(compressed.text).toBe(plain.text);
    expect(lengthOf(compressed) * 5).toBeLessThan(lengthOf(plain));
    expect(compressed.response.headers.get('content-encoding')).toBe('gzip');
    const etag = plain.response.headers.get('etag')!;
    const again = await request({ 'if-none-match': etag });
    expect([again.response.status, again.text]).toEqual([304, '']);
    expect((await request({ 'if-none-match': '"other"' })).response.status).toBe(200);
  });

  it('has its own policy: API responses forbid all content, framing and caching', async () => {
    const client = createHttpClient(system);
    for (const path of ['/v1/models', '/v1/ledger/balance', '/v1/nowhere', '/v1/agents']) {
      const { headers } = await client.send(path);
      expect([path, Object.fromEntries(headers)]).toEqual([
        path,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        }),
      ]);
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('x-powered-by')).toBe(false);
    }
    const tlsHeaders = { 'x-forwarded-proto': 'https', 'x-api-key': system.apiKey };
    const { headers } = await client.send('/v1/models', { headers: tlsHeaders });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    const keyAnswer = await client.send('/v1/gateway/public-key', { headers: {} });
    expect(keyAnswer.headers.get('cache-control')).toMatch(/^public/);
  });

  describe(`in a real browser${BROWSER_NOTE}`, () => {
    let browser: Browser | undefined;
    let page: Page;

    beforeAll(async () => {
      if (BROWSER_MISSING !== undefined) return;
      browser = await openBrowser();
      page = browser.page;
      await page.goto(`${system.baseUrl}/docs`);
    });
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]();
    });

    itInBrowser('requests no other host and logs no error', () => {
      const otherRequests = page.log.requests.filter((url) => !/^(data:|about:)/.test(url));
      expect(otherRequests).toEqual([`${system.baseUrl}/docs`]);
      expect(page.log.warnings).toEqual([]);
    });

    itInBrowser('shows every operation and every event', async () => {
      const { json } = await createHttpClient(system).send('/v1/openapi.json', { headers: {} });
      const { paths, webhooks } = json as {
        paths: Record<string, Record<string, { operationId: string }>>;
        webhooks: object;
      };
      const ids = Object.values(paths).flatMap((one) =>
        Object.values(one).map(({ operationId }) => operationId),
      );
      const shownIds = await page.read<string[]>(
        "[...document.querySelectorAll('article')].filter((one) => one.checkVisibility())" +
          '.map((one) => one.id)',
      );
      const events = Object.keys(webhooks).map((name) => `event-${name}`);
      expect(shownIds.toSorted()).toEqual([...ids, ...events].toSorted());
      const text = await page.read<string>("document.querySelector('main').innerText");
      for (const id of ids) expect(text).toContain(id);
    });

    itInBrowser('is searchable by keyboard alone', async () => {
      await page.press('/');
      for (const keyAnswer of 'webhook secret') await page.press(keyAnswer);
      expect(await page.read("document.getElementById('found').textContent")).toMatch(/^\d+ match/);
      const shownIds = await page.read<string[]>(
        "[...document.querySelectorAll('article:not([hidden])')].map((one) => one.id)",
      );
      expect(shownIds).toContain('rotateWebhookSecret');
      expect(shownIds).not.toContain('createChatCompletion');
      await page.press('Tab');
      const focused = await page.read<string>('document.activeElement.tagName');
      expect(['A', 'UL', 'NAV']).toContain(focused);
      await page.read("find.value = ''; find.dispatchEvent(new Event('input'))");
      await page.read("location.hash = '#schema-Certificate'");
      const isOpenExpression = "document.getElementById('schema-Certificate').open";
      expect(await page.read(isOpenExpression)).toBe(true);
    });

    itInBrowser('has a language, landmarks and unique headings for screen readers', async () => {
      const layout = await page.read(`({
        language: document.documentElement.lang,
        landmarks: ['header', 'nav', 'main', 'search'].map(
          (one) => document.querySelectorAll(one).length,
        ),
        headings: document.querySelectorAll('h1').length,
        unnamed: [...document.querySelectorAll('a, button, input, summary')].filter(
          (one) => !(one.textContent.trim() || one.labels?.[0]?.textContent.trim()),
        ).length,
        twice: [...document.querySelectorAll('[id]')]
          .map((one) => one.id)
          .filter((id, at, all) => all.indexOf(id) !== at),
        lost: [...document.querySelectorAll('a[href^="#"]')]
          .map((one) => decodeURIComponent(one.hash.slice(1)))
          .filter((id) => !document.getElementById(id)),
      })`);
      expect(layout).toEqual({
        language: 'en',
        landmarks: [1, 1, 1, 1],
        headings: 1,
        unnamed: 0,
        twice: [],
        lost: [],
      });
    });

    itInBrowser.each(VIEWS)(
      'has sufficient contrast: $name, $theme',
      async ({ name, width, height, theme }) => {
        await page.setViewport({ width, height, theme });
        const fitsWidthExpression =
          'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
        expect(await page.read(fitsWidthExpression)).toBe(true);
        const [ratio, pair] = await page.read<[number, string]>(LOWEST_CONTRAST);
        expect([pair, ratio >= CONTRAST_MIN]).toEqual([pair, true]);
        if (WITAN_SCREENSHOTS === '') return;
        await mkdir(WITAN_SCREENSHOTS, { recursive: true });
        for (const anchor of ['introduction', 'createChatCompletion', 'createAgent', 'events']) {
          const scrollExpression = `document.getElementById('${anchor}').scrollIntoView({ behavior: 'instant' })`;
          await page.read(scrollExpression);
          const file = join(WITAN_SCREENSHOTS, `${name}-${theme}-${anchor}.png`);
          await writeFile(file, await page.screenshot());
        }
      },
    );
  });
});
