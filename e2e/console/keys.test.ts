import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient, PING } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

describe(`API keys in the console${BROWSER_NOTE}`, () => {
  let opened: OpenConsole;
  let key: string;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    opened = await openConsole();
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  /** Calls a model as a program does, without the console. */
  const callWith = async (apiKey: string): Promise<[status: number, code: unknown]> => {
    const client = createHttpClient({ ...opened.system, apiKey });
    const { status, json } = await client.complete({ ...PING, model: 'service-auto' });
    return [status, (json as { error?: { code: unknown } }).error?.code];
  };

  const awaitRefusal = (apiKey: string): Promise<unknown> =>
    eventually(async () => {
      const [status, code] = await callWith(apiKey);
      return status === 401 && code;
    }, 'the key is refused');

  const readShownKey = (): Promise<string> =>
    opened.page.read(`document.querySelector('[role=dialog] code').innerText`);

  itInBrowser('are created in an accessible dialog, and shown once', async () => {
    await opened.open('/settings/keys');
    await opened.press('Create a key');
    await opened.awaitText('Which program uses it');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.fill('Name', 'billing worker');
    await opened.fill('Your API key', `sk_live_${'x'.repeat(46)}`);
    await opened.press('Create the key');
    await opened.awaitText('Your API key is not one of this workspace.');
    await opened.fill('Your API key', opened.system.apiKey);
    await opened.press('Create the key');
    await opened.awaitText('Copy the key now.');
    key = await readShownKey();
    expect(await callWith(key)).toEqual([200, undefined]);
    await opened.press('I have stored it');
    await opened.awaitText('billing worker');
    expect(await opened.findClipped(390)).toEqual([]);
    expect(await opened.page.read('document.body.innerText')).not.toContain(key);
  });

  itInBrowser('are rotated: the new text works', async () => {
    await opened.press('Actions of billing worker');
    await opened.press('Rotate');
    await opened.press('End the old key at once, because it may be known to others');
    await opened.fill('Your API key', opened.system.apiKey);
    await opened.press('Rotate the key');
    await opened.awaitText('Copy the key now.');
    const rotated = await readShownKey();
    expect(rotated).not.toBe(key);
    expect(await callWith(rotated)).toEqual([200, undefined]);
    expect(await awaitRefusal(key)).toBe('invalid_api_key');
    key = rotated;
    await opened.press('I have stored it');
  });

  itInBrowser('are refused after they were revoked', async () => {
    await opened.press('Actions of billing worker');
    await opened.press('Revoke');
    await opened.press('Revoke the key');
    await opened.awaitText('The key “billing worker” is revoked');
    expect(await awaitRefusal(key)).toBe('invalid_api_key');
  });

  itInBrowser('are in the audit log with all that was done to them', async () => {
    await opened.open('/settings/audit?action=key.revoked');
    await opened.awaitText('Key revoked');
    await opened.awaitText('billing worker');
    opened.expectQuiet();
  });
});
