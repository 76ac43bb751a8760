import { setTimeout } from 'node:timers/promises';
import { openConsoleOf } from '@witan/e2e/console';
import type { OpenConsole } from '@witan/e2e/console';
import { eventually } from '@witan/testing';

/** How long a page may still move after its content is shown, in milliseconds. */
const SETTLE_MS = 1_500;

/** Evaluates to the sum of all layout shifts of the page so far that followed no input. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  const add = (entries) => {
    for (const { value, hadRecentInput } of entries) if (!hadRecentInput) sum += value;
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => {
    add(observer.takeRecords());
    resolve(sum);
  }, 100);
})`;

const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;

/** Evaluates to the bytes of all files of the console that were sent, compressed. */
const SENT_BYTES = `[
  ...performance.getEntriesByType('navigation'),
  ...performance.getEntriesByType('resource'),
].filter(({ name }) => name.includes('/console/'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** Opens a page whose files the browser has stored, until it moves no more. */
export const measurePage = async (
  opened: Pick<OpenConsole, 'open' | 'page'>,
  path: string,
  shown: string,
): Promise<{ firstPaintMs: number; layoutShift: number }> => {
  await opened.open(path);
  const hasContent = `Boolean(document.querySelector(${JSON.stringify(shown)}))`;
  await eventually(
    async () => (await opened.page.read<boolean>(hasContent)) && true,
    `${shown} at ${path}`,
  );
  await setTimeout(SETTLE_MS);
  const firstPaintMs = await opened.page.read<number>(FIRST_PAINT);
  return { firstPaintMs, layoutShift: await opened.page.read<number>(LAYOUT_SHIFT) };
};

/** Signs in with a new browser, which has stored nothing, and opens the first page. */
export const measureFirstLoad = async (
  system: OpenConsole['system'],
): Promise<{ firstPaintMs: number; kilobytes: number }> => {
  await using opened = await openConsoleOf(system);
  await opened.open('/');
  const firstPaintMs = await opened.page.read<number>(FIRST_PAINT);
  await opened.signIn();
  await opened.awaitText('Your question');
  return { firstPaintMs, kilobytes: (await opened.page.read<number>(SENT_BYTES)) / 1_000 };
};
