import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import { ensureConsole } from '@witan/console-build/ensure-console';
import { eventually, openTestSystem } from '@witan/testing';
import type { TestSystem, TestSystemOptions } from '@witan/testing';
import { openBrowser } from '../open-browser.ts';
import type { Page } from '../open-browser.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** A real system, and a browser in which its console is open. */
export type OpenConsole = AsyncDisposable & {
  system: TestSystem;
  page: Page;
  /** Opens an address below `/console` and resolves when it shows a heading. */
  open: (path: string) => Promise<void>;
  /** Chooses an option of the select with this label. */
  choose: (label: string, value: string) => Promise<void>;
  /** Enters the key of the system, or `key`, into the sign-in page. */
  signIn: (key?: string) => Promise<void>;
  /** Resolves when the page contains the text. */
  awaitText: (text: string) => Promise<void>;
  /** Resolves when no element of the page matches. */
  awaitGone: (selector: string) => Promise<void>;
  /** Resolves when the page has an element that matches, and clicks it. */
  click: (selector: string) => Promise<void>;
  /** Presses the button or link with this name, as screen readers find it. */
  press: (name: string) => Promise<void>;
  /** Replaces the text of the field with this label. */
  fill: (label: string, text: string) => Promise<void>;
  /** Fails with the rules of axe-core that the page violates in the theme. */
  expectAccessible: (theme: Theme) => Promise<void>;
  /** Returns those of the widths that must fit at which the page is wider than the window. */
  findOverflows: () => Promise<number[]>;
  /** Returns the texts of cells that are cut, or beside the window, on a screen of this width. */
  findClipped: (width: number) => Promise<string[]>;
  /**
   * Writes `<name>-<width>-<theme>.png` for each width and theme to the folder WITAN_SCREENSHOTS;
   * without the variable it does nothing.
   */
  takeScreenshots: (name: string, height?: number) => Promise<void>;
  /** Fails if the page requested another origin, or the browser logged an error. */
  expectQuiet: () => void;
};

/** Limit of the hook that opens the console, which may have to build it, in milliseconds. */
export const OPEN_TIMEOUT_MS = 300_000;

const VIEWPORT = { width: 1280, height: 900 };
const WIDTHS = [360, 1280, 2560] as const;
const { WITAN_SCREENSHOTS = '' } = process.env;

/** Builds the console if it is not current, starts a system and opens a browser. */
export const openConsole = async (options: TestSystemOptions = {}): Promise<OpenConsole> => {
  await ensureConsole();
  await using resources = new AsyncDisposableStack();
  const system = resources.use(await openTestSystem(options));
  const console = resources.use(await openConsoleOf(system));
  const opened = resources.move();
  return { ...console, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

/** Opens a new browser for the console of a system, which is built. */
export const openConsoleOf = async (system: TestSystem): Promise<OpenConsole> => {
  const browser = await openBrowser();
  const { page } = browser;
  await page.setViewport({ ...VIEWPORT, theme: 'light' });
  return {
    system,
    page,
    ...createActions(system, page),
    expectAccessible: (theme) => expectAccessible(page, theme),
    findOverflows: () => findOverflows(page),
    findClipped: (width) => findClipped(page, width),
    takeScreenshots: (name, height) => takeScreenshots(page, name, height),
    expectQuiet: () => expectQuiet(page, system.baseUrl),
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
};

const createActions = (system: TestSystem, page: Page) => {
  const awaitElement = (expression: string, description: string): Promise<true> =>
    eventually(
      () => page.read<boolean>(`Boolean(${expression})`).then((is) => is && true),
      description,
    );
  const actions = {
    open: async (path: string) => {
      await page.goto(`${system.baseUrl}/console${path}`);
      await awaitElement(`document.querySelector('h1')`, `a heading at ${path}`);
    },
    awaitText: async (text: string) => {
      const expression = `document.body.innerText.includes(${JSON.stringify(text)})`;
      await awaitElement(expression, `the text "${text}"`);
    },
    awaitGone: async (selector: string) => {
      await awaitElement(`!document.querySelector(${JSON.stringify(selector)})`, `no ${selector}`);
    },
    click: async (selector: string) => {
      await page.click(`document.querySelector(${JSON.stringify(selector)})`, selector);
    },
    press: async (name: string) => {
      await page.click(named(name), `a control named "${name}"`);
    },
    fill: async (label: string, text: string) => {
      await awaitElement(labelled(label), `a field labelled "${label}"`);
      await page.read(
        `(({ control }) => { control.focus(); control.select(); })(${labelled(label)})`,
      );
      await page.type(text);
    },
  };
  return {
    ...actions,
    choose: async (label: string, value: string) => {
      await page.click(selectLabelled(label), `a select labelled "${label}"`);
      await actions.click(`[role=option][data-key=${JSON.stringify(value)}]`);
      await actions.awaitGone('[role=listbox]');
    },
    signIn: async (key = system.apiKey) => {
      await actions.open('/sign-in');
      await actions.fill('API key', key);
      await actions.press('Sign in');
      await awaitElement(`document.querySelector('nav')`, 'the navigation');
    },
  };
};

const CONTROLS = 'button, a, summary, label, [role=menuitem], [role=menuitemradio]';

const named = (name: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(CONTROLS)})].find((one) => ` +
  `(one.getAttribute('aria-label') ?? one.innerText).trim() === ${JSON.stringify(name)} && ` +
  `one.checkVisibility())`;

const labelled = (label: string): string =>
  `[...document.querySelectorAll('label')].find((one) => one.innerText.trim() === ` +
  `${JSON.stringify(label)} && one.control)`;

/** The label of a select names its button by the id of the label. */
const selectLabelled = (label: string): string =>
  `[...document.querySelectorAll('button[aria-haspopup=listbox]')].find((one) => ` +
  `one.getAttribute('aria-labelledby').split(' ').some((id) => ` +
  `document.getElementById(id)?.innerText.trim() === ${JSON.stringify(label)}))`;

type AxeResult = {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
};

/**
 * React Aria's announcements. That of a pending button names it by its id for seven seconds, also
 * if its dialog is closed before.
 */
const ANNOUNCER = '[data-live-announcer]';

/** Resolves when nothing moves, except what has no end, such as a sign of work. */
const ANIMATIONS_END =
  `Promise.all(document.getAnimations()` +
  `.filter((one) => one.effect.getComputedTiming().endTime !== Infinity)` +
  `.map((one) => one.finished.catch(() => undefined)))`;

const expectAccessible = async (page: Page, theme: Theme): Promise<void> => {
  await page.setViewport({ ...VIEWPORT, theme });
  await page.read(`typeof axe === 'undefined' && (() => { ${axe.source} })()`);
  const result = await page.read<AxeResult>(
    `${ANIMATIONS_END}.then(() => axe.run({ exclude: [${JSON.stringify(ANNOUNCER)}] }))` +
      `.then(({ violations }) => ({ violations }))`,
  );
  const violations = result.violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
  }));
  deepStrictEqual({ theme, violations }, { theme, violations: [] });
};

const findOverflows = async (page: Page): Promise<number[]> => {
  const overflows: number[] = [];
  for (const width of WIDTHS) {
    await page.setViewport({ ...VIEWPORT, width, theme: 'light' });
    // Not innerWidth: on a narrow screen it grows with what is too wide.
    const isWider = `document.documentElement.scrollWidth > ${width}`;
    if (await page.read<boolean>(isWider)) overflows.push(width);
  }
  return overflows;
};

const CELLS = ['td', 'th', '[role=cell]', '[role=gridcell]', '[role=rowheader]'].join(', ');

const findClipped = async (page: Page, width: number): Promise<string[]> => {
  await page.setViewport({ ...VIEWPORT, width, theme: 'light' });
  const clipped = await page.read<string[]>(`[...document.querySelectorAll('${CELLS}')]
    .filter((cell) => cell.checkVisibility() && cell.closest('thead, details') === null)
    .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 ||
      cell.getBoundingClientRect().right > innerWidth)
    .map((cell) => cell.innerText)`);
  await page.setViewport({ ...VIEWPORT, theme: 'light' });
  return clipped;
};

/** Resolves when no color is between two themes; other animations may have no end. */
const TRANSITIONS_END =
  `Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition)` +
  `.map((one) => one.finished.catch(() => undefined))).then(() => undefined)`;

const takeScreenshots = async (
  page: Page,
  name: string,
  height: number = VIEWPORT.height,
): Promise<void> => {
  if (WITAN_SCREENSHOTS === '') return;
  await mkdir(WITAN_SCREENSHOTS, { recursive: true });
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      await page.setViewport({ width, height, theme });
      await page.read(TRANSITIONS_END);
      const file = join(WITAN_SCREENSHOTS, `${name}-${width}-${theme}.png`);
      await writeFile(file, await page.screenshot());
    }
  }
};

/** The response to the first call of a page without a session, which browsers log as an error. */
const SIGNED_OUT = /\/v1\/console\/session".*|status of 401/;

const expectQuiet = (page: Page, baseUrl: string): void => {
  const others = page.log.requests.filter(
    (url) => !url.startsWith(`${baseUrl}/`) && !/^(data|blob|about):/.test(url),
  );
  deepStrictEqual(others, []);
  deepStrictEqual(
    page.log.warnings.filter((text) => !SIGNED_OUT.test(text)),
    [],
  );
};
