import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser, openBrowser } from './open-browser.ts';
import type { Browser } from './open-browser.ts';

const itInBrowser = inBrowser(it);

const PAGE = `data:text/html,<button style="position:absolute;width:80px;height:40px">Go</button>`;
const BUTTON = `document.querySelector('button')`;

describe(`a click in the browser of the tests${BROWSER_NOTE}`, () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (BROWSER_MISSING === undefined) browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  itInBrowser.each([
    [
      'moves away when its position is known',
      `let moves = 0;
      button.scrollIntoView = () => queueMicrotask(() => {
        if (moves < 5) button.style.left = (moves += 1) * 100 + 'px';
      });`,
    ],
    [
      'is covered for a while',
      `const cover = document.createElement('div');
      cover.style = 'position:fixed;inset:0';
      document.body.append(cover);
      let looks = 0;
      button.scrollIntoView = () => void ((looks += 1) === 5 && cover.remove());`,
    ],
    [
      'is covered just before the first press',
      `const cover = document.createElement('div');
      cover.style = 'position:fixed;inset:0';
      cover.addEventListener('pointerdown', () => cover.remove());
      let isFirst = true;
      button.getBoundingClientRect = () => {
        if (isFirst) requestAnimationFrame(() => requestAnimationFrame(() =>
          setTimeout(() => document.body.append(cover))));
        isFirst = false;
        return Element.prototype.getBoundingClientRect.call(button);
      };`,
    ],
  ])('reaches a button that %s', async (_name, script) => {
    const { page } = browser!;
    await page.goto(PAGE);
    await page.read(`(() => {
      const button = ${BUTTON};
      window.clicks = 0;
      button.addEventListener('click', () => (window.clicks += 1));
      ${script}
    })()`);
    await page.click(BUTTON);
    expect(await page.read('window.clicks')).toBe(1);
  });
});
