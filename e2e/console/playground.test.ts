import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, createGate, eventually, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);
const PYTHON_NOTE = spawnSync('python3', ['--version']).status === 0 ? '' : ' (no python3)';

const DIALECTS = ['chat-completions', 'messages'] as const;
const VALUES = ['Ingrid Solberg', 'ingrid.solberg@example.com', '+47 22 93 12 45'];
const ANSWER = 'Your order ships on Friday.';

const run = promisify(execFile);

describe(`the playground of the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;
  let provider: ScriptedProvider;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    provider = await openScriptedProvider({ fallback: answerWith({ content: ['pong'] }) });
    const env = {
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-scripted',
      ANTHROPIC_BASE_URL: provider.anthropicBaseUrl,
      ANTHROPIC_API_KEY: 'sk-scripted',
    };
    opened = await openConsole({ env });
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await provider?.[Symbol.asyncDispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  const readAll = (selector: string): Promise<string[]> =>
    opened.page.read(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`,
    );

  /** Shows the code for a language, and returns it. */
  const readCode = async (language: string): Promise<string> => {
    await opened.press(language);
    const read = async () => (await readAll(`pre[aria-label="Code for ${language}"]`))[0];
    return await eventually(read, `the code for ${language}`);
  };

  const runCode = async (program: string, args: string[]): Promise<string> => {
    const env = { ...process.env, WITAN_API_KEY: opened.system.apiKey };
    return (await run(program, args, { env })).stdout;
  };

  itInBrowser('marks what is masked, beside the original, before anything is sent', async () => {
    await opened.open('/playground');
    await opened.awaitText('messages[0].content');
    const marks = await readAll('mark');
    expect(marks.slice(0, VALUES.length)).toEqual(VALUES);
    for (const placeholder of marks.slice(VALUES.length)) {
      expect(placeholder).toMatch(/^\[\[(PERSON|EMAIL|PHONE)_\w{6}\]\]$/);
    }
    expect(marks).toHaveLength(2 * VALUES.length);
    expect(provider.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    for (const theme of THEMES) await opened.expectAccessible(theme);
  });

  itInBrowser('shows the answer as it arrives, and then its certificate', async () => {
    const gate = createGate();
    provider.script(answerWith({ content: ['Your order ', 'ships on Friday.'] }, { gate }));
    await opened.press('Send');
    gate.release(2);
    await opened.awaitText('Your order');
    expect(await opened.page.read('document.body.innerText')).not.toContain(ANSWER);
    gate.open();
    await opened.awaitText(ANSWER);
    await opened.awaitText('The provider got the bytes that are previewed below');
    await opened.awaitText('First byte');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots('playground-answered', 1_700);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
    await opened.press('Open its certificate');
    await opened.awaitText('What left for the provider');
    expect(await opened.page.read('location.pathname')).toMatch(/^\/console\/calls\/pf_/);
  });

  itInBrowser('stops a call, which ends it at the provider', async () => {
    await opened.open('/playground');
    const gate = createGate();
    provider.script(answerWith({ content: ['Your order ', 'ships.'] }, { gate }));
    await opened.press('Send');
    gate.release(2);
    await opened.awaitText('Your order');
    await opened.press('Stop');
    await opened.awaitText('You stopped this call. Its certificate says that it was aborted.');
    await opened.awaitText('Open its certificate');
    const sent = provider.requests.findLast(({ method }) => method === 'POST')!;
    await provider.whenAborted(sent.number);
  });

  itInBrowser('shows a refusal, and says what is missing', async () => {
    await opened.open('/playground?model=service-sensitive');
    await opened.press('Send');
    const [refusal] = await eventually(async () => {
      const alerts = await readAll('[role=alert]');
      return alerts.length > 0 && alerts;
    }, 'the refusal');
    expect(refusal).toMatch(/local/);
    // Browsers log the refused calls as errors.
    opened.page.log.warnings.length = 0;
  });

  itInBrowser.each(DIALECTS)(
    'writes curl and TypeScript that make the same call, in %s',
    async (dialect) => {
      for (const stream of [true, false]) {
        await opened.open(`/playground?dialect=${dialect}&stream=${stream}`);
        const curl = await readCode('curl');
        const typescript = await readCode('TypeScript');
        for (const code of [curl, typescript]) {
          expect(code).not.toContain(opened.system.apiKey);
          for (const value of VALUES) expect(code).toContain(value);
        }
        expect(await runCode('sh', ['-c', curl])).toContain('pong');
        const node = ['--input-type=module-typescript', '--eval', typescript];
        expect(await runCode(process.execPath, node)).toContain('pong');
      }
    },
    60_000,
  );

  (PYTHON_NOTE === '' ? itInBrowser : it.skip).each(DIALECTS)(
    `writes Python that python3 parses, in %s${PYTHON_NOTE}`,
    async (dialect) => {
      for (const stream of [true, false]) {
        await opened.open(`/playground?dialect=${dialect}&stream=${stream}`);
        const code = await readCode('Python');
        expect(code).not.toContain(opened.system.apiKey);
        await runCode('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', code]);
      }
    },
  );

  itInBrowser('requests nothing from another origin, and logs no error', () => {
    opened.expectQuiet();
  });
});
