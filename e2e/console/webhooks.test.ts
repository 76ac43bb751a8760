import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openReceiver } from '@witan/testing';
import type { ReceivedRequest, Receiver } from '@witan/testing';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const PATH = '/in';

describe(`webhooks in the console${BROWSER_NOTE}`, () => {
  let receiver: Receiver;
  let opened: OpenConsole;
  let secret: string;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    receiver = await openReceiver();
    opened = await openConsole({ env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
  });

  const awaitRequests = (count: number): Promise<ReceivedRequest[]> =>
    eventually(() => {
      const requests = receiver.requestsOf(PATH);
      return requests.length === count && requests;
    }, `${count} requests at the receiver`);

  const signatureOf = ({ body }: ReceivedRequest, key: string): string =>
    `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

  itInBrowser('are added with events of the catalogue, and show their secret once', async () => {
    await opened.open('/settings/webhooks');
    await opened.press('Add a webhook');
    await opened.awaitText('One turn of a simulation advanced');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.takeScreenshots('webhook-dialog');
    await opened.press('Add the webhook');
    await opened.awaitText('Enter the address of your endpoint.');
    await opened.fill('Endpoint', receiver.urlOf(PATH));
    await opened.click('label:has(input[value="webhook.test"])');
    await opened.click('label:has(input[value="simulation.report.ready"])');
    await opened.press('Add the webhook');
    await opened.awaitText('Copy the secret now.');
    secret = await opened.page.read(`document.querySelector('[role=dialog] code').innerText`);
    expect(secret).toMatch(/^whsec_/);
    await opened.press('I have stored it');
    await opened.awaitText('Active');
    expect(await opened.page.read('document.body.innerText')).not.toContain(secret);
  });

  itInBrowser('show what their receiver answers to a test event', async () => {
    receiver.respond(PATH, () => 503);
    await opened.press(receiver.urlOf(PATH));
    await opened.awaitText('No deliveries yet');
    await opened.press('Send a test event');
    await opened.awaitText('The endpoint refused the test event with status 503.');
    await opened.awaitText('503: Refused');
    await opened.press('Close this message');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
  });

  itInBrowser('redeliver the same event, signed with the secret that was shown', async () => {
    receiver.respond(PATH, () => 204);
    await opened.press('Redeliver');
    await opened.awaitText('The event is sent again');
    const [first, second] = await awaitRequests(2);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-signature']).toBe(signatureOf(second!, secret));
    await opened.awaitText('Delivered');
    await opened.awaitText('204');
    await opened.awaitText('Failed');
    await opened.takeScreenshots('webhook-detail');
  });

  itInBrowser('are paused, resumed, and changed', async () => {
    await opened.press('Pause');
    await opened.awaitText('Paused');
    await opened.press('Resume');
    await opened.awaitText('Active');
    await opened.press('More actions');
    await opened.press('Change');
    await opened.fill('Description', 'Reports for finance');
    await opened.choose('If the endpoint fails', 'long');
    await opened.press('Save the webhook');
    await opened.awaitText('Reports for finance');
    await opened.awaitText('Long: 10 attempts');
  });

  itInBrowser('sign with another secret after it was rotated', async () => {
    await opened.press('More actions');
    await opened.press('Rotate the secret');
    await opened.click('[role=dialog] button[type=submit]');
    await opened.awaitText('Copy the secret now.');
    const rotated = await opened.page.read<string>(
      `document.querySelector('[role=dialog] code').innerText`,
    );
    await opened.press('I have stored it');
    await opened.press('Send a test event');
    const [, , third] = await awaitRequests(3);
    expect(rotated).not.toBe(secret);
    expect(third!.headers['x-service-signature']).toBe(signatureOf(third!, rotated));
  });

  itInBrowser('are deleted after a question', async () => {
    await opened.press('More actions');
    await opened.press('Delete');
    await opened.press('Delete the webhook');
    await opened.awaitText('No webhooks yet');
    opened.expectQuiet();
  });
});
