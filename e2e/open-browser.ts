import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from '@witan/testing';

export type BrowserLog = { requests: string[]; warnings: string[] };

export type Page = {
  log: BrowserLog;
  goto: (url: string) => Promise<void>;
  /** Evaluates a JavaScript expression in the page and returns its value, awaited if a promise. */
  read: <Value>(expression: string) => Promise<Value>;
  /**
   * Presses and releases the mouse in the middle of the element that the expression returns, when
   * it stands still and is not covered. A press that did not reach it is repeated.
   */
  click: (element: string, description?: string) => Promise<void>;
  /** Enters a text into the focused element. */
  type: (text: string) => Promise<void>;
  /** Types a character, or presses the key with this name. */
  press: (key: string) => Promise<void>;
  setViewport: (as: { width: number; height: number; theme: 'light' | 'dark' }) => Promise<void>;
  /** Returns an image of the viewport; by default a PNG. `quality` of a WebP is at most 100. */
  screenshot: (as?: ImageFormat) => Promise<Buffer>;
  /** Prints the page on A4 and returns the PDF. */
  pdf: () => Promise<Buffer>;
};

export type ImageFormat = { format: 'png' } | { format: 'webp'; quality: number };

export type Browser = AsyncDisposable & { page: Page };

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Time limit of each call of the DevTools protocol, in milliseconds. */
const BROWSER_LIMIT_MS = 30_000;

const findBrowser = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false; // This folder does not contain the browser, so the next folder is searched.
      }
    });

const PROGRAM = findBrowser();

/**
 * Reason why no browser is available, shown in the name of skipped tests; undefined if there is
 * one.
 */
export const BROWSER_MISSING: string | undefined =
  PROGRAM === undefined
    ? 'no Chromium on the PATH; to get one: apt-get install chromium'
    : undefined;

/** Ends the title of tests that need a browser: empty, or why they are skipped. */
export const BROWSER_NOTE = BROWSER_MISSING === undefined ? '' : ` (${BROWSER_MISSING})`;

/** Returns `it` unchanged, or `it.skip` on a machine without a browser. */
export const inBrowser = <Test extends { skip: unknown }>(test: Test): Test =>
  BROWSER_MISSING === undefined ? test : (test.skip as Test);

/** Starts headless Chromium with a temporary profile and opens a page. */
export const openBrowser = async (): Promise<Browser> => {
  if (PROGRAM === undefined) throw new Error(BROWSER_MISSING);
  const profile = await mkdtemp(join(tmpdir(), 'witan-browser-'));
  const child = spawn(
    PROGRAM,
    [
      '--headless=new',
      // Chromium does not start as root with its sandbox. Disabling the sandbox is safe, because
      // the tests load only pages of the system under test.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--no-first-run',
      // A page that is left ends its connections, as a closed tab does.
      '--disable-features=BackForwardCache',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const connection = await connectDevTools(await readAddress(child));
    const page = await openPage(connection);
    return {
      page,
      [Symbol.asyncDispose]: async () => {
        connection.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const readAddress = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, address] = /DevTools listening on (ws:\S+)/.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the browser ended at once: ${output}`)));
  });

type BrowserEvent = { method: string; params: Record<string, unknown>; sessionId?: string };
type ProtocolReply = { result?: object; error?: object };
type DevToolsConnection = {
  call: (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>;
  onEvent: (listener: (output: BrowserEvent) => void) => void;
  close: () => void;
};

/** Opens a WebSocket to the browser's DevTools protocol, which sends JSON messages. */
const connectDevTools = async (address: string): Promise<DevToolsConnection> => {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('no connection to the browser')));
  });
  const pendingCalls = new Map<number, (answer: ProtocolReply) => void>();
  const listeners: ((output: BrowserEvent) => void)[] = [];
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as BrowserEvent & { id?: number } & ProtocolReply;
    if (reply.id === undefined) for (const listener of listeners) listener(reply);
    else pendingCalls.get(reply.id)?.(reply);
  });
  let lastId = 0;
  return {
    call: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        const id = (lastId += 1);
        const timer = setTimeout(
          () => reject(new Error(`${method} took too long`)),
          BROWSER_LIMIT_MS,
        );
        pendingCalls.set(id, ({ result, error }) => {
          clearTimeout(timer);
          pendingCalls.delete(id);
          if (error) reject(new Error(`${method}: ${JSON.stringify(error)}`));
          else resolve(result as Record<string, unknown>);
        });
        socket.send(JSON.stringify({ id, method, params, sessionId }));
      }),
    onEvent: (listener) => void listeners.push(listener),
    close: () => socket.close(),
  };
};

/**
 * Scrolls an element into view and returns its middle, if it stands still for two frames and a
 * press there reaches it. Sets `window.isPressed` to whether the next press does.
 */
const pointOf = (element: string): string => `(async () => {
  const element = ${element};
  if (!element) return;
  const read = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  };
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const before = read();
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const { x, y } = read();
  if (!element.isConnected || x !== before.x || y !== before.y) return;
  const target = document.elementFromPoint(x, y);
  if (target === null || !element.contains(target)) return;
  const onPress = (event) => void (window.isPressed = element.contains(event.target));
  window.isPressed = undefined;
  addEventListener('pointerdown', onPress, { capture: true, once: true });
  return { x, y };
})()`;

/** Windows codes of the keys that have a name; those of letters and digits are their characters. */
const KEY_CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
};

type Session = Pick<Page, 'read'> & {
  call: (method: string, params?: object) => Promise<Record<string, unknown>>;
};

/** Presses an element; returns false if it cannot be pressed yet, or the press did not reach it. */
const press = async (element: string, { call, read }: Session): Promise<boolean> => {
  const at = await read<{ x: number; y: number } | undefined>(pointOf(element));
  if (!at) return false;
  const event = { ...at, button: 'left', clickCount: 1 };
  for (const type of ['mousePressed', 'mouseReleased']) {
    await call('Input.dispatchMouseEvent', { type, ...event });
  }
  // Undefined if the press left the page.
  return await read<boolean>('window.isPressed !== false');
};

const openPage = async (connection: DevToolsConnection): Promise<Page> => {
  const { targetId } = await connection.call('Target.createTarget', { url: 'about:blank' });
  const attached = await connection.call('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.sessionId);
  const call = (method: string, params?: object) => connection.call(method, params, sessionId);
  const log: BrowserLog = { requests: [], warnings: [] };
  let loaded = (): void => undefined;
  connection.onEvent(({ method, params }) => {
    if (method === 'Page.loadEventFired') loaded();
    if (method === 'Network.requestWillBeSent') {
      log.requests.push((params.request as { url: string }).url);
    }
    if (/^(Log\.entryAdded|Runtime\.(consoleAPICalled|exceptionThrown))$/.test(method)) {
      log.warnings.push(JSON.stringify(params));
    }
  });
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await call(`${domain}.enable`);
  const read = async <Value>(expression: string): Promise<Value> => {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const answer = await call('Runtime.evaluate', options);
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return (answer.result as { value: Value }).value;
  };
  return {
    log,
    goto: async (url) => {
      const load = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      await call('Page.navigate', { url });
      await load;
    },
    read,
    click: async (element, description = element) => {
      await eventually(() => press(element, { call, read }), `a click on ${description}`);
    },
    type: async (text) => void (await call('Input.insertText', { text })),
    press: async (key) => {
      const isNamedKey = key.length > 1;
      const keyCode = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
      const text = isNamedKey ? (key === 'Enter' ? { text: '\r' } : {}) : { text: key };
      const event = { key, windowsVirtualKeyCode: keyCode };
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...text });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    setViewport: async ({ width, height, theme }) => {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: width < 500 };
      await call('Emulation.setDeviceMetricsOverride', metrics);
      const features = [{ name: 'prefers-color-scheme', value: theme }];
      await call('Emulation.setEmulatedMedia', { features });
    },
    pdf: async () => {
      const paper = { paperWidth: 8.27, paperHeight: 11.69, preferCSSPageSize: true };
      const { data } = await call('Page.printToPDF', paper);
      return Buffer.from(String(data), 'base64');
    },
    screenshot: async (as = { format: 'png' }) => {
      const { data } = await call('Page.captureScreenshot', as);
      return Buffer.from(String(data), 'base64');
    },
  };
};
