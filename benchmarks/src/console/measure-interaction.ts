import { setTimeout } from 'node:timers/promises';
import type { OpenConsole } from '@witan/e2e/console';
import { eventually } from '@witan/testing';

type Opened = Pick<OpenConsole, 'open' | 'page' | 'press' | 'click' | 'awaitText'>;

/** Scrolls to the end and evaluates to the number of rows, once there is nothing more to load. */
const LOAD_MORE = `(() => {
  scrollTo(0, document.documentElement.scrollHeight);
  const rows = Number(document.querySelector('table[aria-label=Calls]')?.ariaRowCount ?? -1);
  return rows > 0 && rows - 1;
})()`;

const POLL_MS = 20;
const LOAD_TIMEOUT_MS = 120_000;

/** Opens the list of calls and loads all of them; returns their number. */
export const openFullList = async ({ open, page }: Opened): Promise<number> => {
  await open('/calls');
  const deadline = performance.now() + LOAD_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const count = await page.read<number | false>(LOAD_MORE);
    if (count !== false) return count;
    await setTimeout(POLL_MS);
  }
  throw new Error('The whole list of calls was not loaded in time.');
};

/**
 * Scrolls by a window's height from both ends of the list, and evaluates to the longest and the
 * median time until the frame after the new rows was begun, in milliseconds.
 */
const SCROLL = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  for (const [start, step] of [[0, 1], [document.documentElement.scrollHeight, -1]]) {
    scrollTo(0, start);
    await frame();
    await frame();
    for (let at = 0; at < 40; at += 1) {
      const startedAt = performance.now();
      scrollBy(0, step * innerHeight);
      await frame();
      await frame();
      times.push(performance.now() - startedAt);
    }
  }
  times.sort((a, b) => a - b);
  return { interactionMs: times.at(-1), medianMs: times[times.length / 2] };
})()`;

export const measureScroll = ({
  page,
}: Opened): Promise<{ interactionMs: number; medianMs: number }> => page.read(SCROLL);

/** Records clicks and keys that took more than 16 ms from the input to the next painted frame. */
const RECORD = `(() => {
  window.interactions = [];
  new PerformanceObserver((list) =>
    window.interactions.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: 'event', durationThreshold: 16 });
})()`;

/** Evaluates to the longest of them, after those of the last frames were reported. */
const LONGEST = `new Promise((resolve) =>
  setTimeout(() => resolve(Math.max(0, ...window.interactions)), 300),
)`;

/** Sets a filter that nothing matches and removes it, which shows the whole list again. */
export const measureFilter = async (opened: Opened): Promise<{ interactionMs: number }> => {
  const { page, press, click, awaitText } = opened;
  await page.read('scrollTo(0, 0)');
  await page.read(RECORD);
  await press('Any result');
  await click('[role=option][data-key=error]');
  await awaitText('No call matches these filters');
  await press('Remove all filters');
  await eventually(
    () => page.read<boolean>(`Boolean(document.querySelector('tbody tr'))`),
    'the list without filters',
  );
  return { interactionMs: await page.read<number>(LONGEST) };
};
