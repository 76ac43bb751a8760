import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { BROWSER_MISSING } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = BROWSER_MISSING === undefined ? it : it.skip;
const skipNote = BROWSER_MISSING === undefined ? '' : ` (${BROWSER_MISSING})`;

describe(`API keys in the console${skipNote}`, () => {
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

  const callWith = async (apiKey: string): Promise<number> => {
    const headers = { 'x-api-key': apiKey };
    return (await createHttpClient(opened.system).send('/v1/models', { headers })).status;
  };

  const readShownKey = (): Promise<string> =>
    opened.page.read(`document.querySelector('[role=dialog] code').innerText`);

  itInBrowser('are created in an accessible dialog, and shown once', async () => {
    await opened.open('/settings/keys');
    await opened.press('Create a key');
    await opened.awaitText('Which program uses it');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.fill('Name', 'billing worker');
    await opened.press('Create the key');
    await opened.awaitText('Copy the key now.');
    key = await readShownKey();
    expect(await callWith(key)).toBe(200);
    await opened.press('I have stored it');
    await opened.awaitText('billing worker');
    expect(await opened.page.read('document.body.innerText')).not.toContain(key);
  });

  itInBrowser('are rotated: the new text works', async () => {
    await opened.press('Actions of billing worker');
    await opened.press('Rotate');
    await opened.press('End the old key at once, because it may be known to others');
    await opened.press('Rotate the key');
    await opened.awaitText('Copy the key now.');
    const rotated = await readShownKey();
    expect(rotated).not.toBe(key);
    expect(await callWith(rotated)).toBe(200);
    key = rotated;
    await opened.press('I have stored it');
  });

  itInBrowser('are refused after they were revoked', async () => {
    await opened.press('Actions of billing worker');
    await opened.press('Revoke');
    await opened.press('Revoke the key');
    await opened.awaitText('The key “billing worker” is revoked');
    await eventually(async () => (await callWith(key)) === 401, 'the revoked key is refused');
    opened.expectQuiet();
  });
});
