import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import type { HttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const SCHEMA = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
const PROVIDER_KEY = 'sk-of-the-provider-4711';

type Workspace = {
  workspace: {
    aliases: Record<string, { targets: object[] }>;
    privacy: { categories: string[]; terms: object[]; patterns: object[] };
  };
};

type ToolAnswer = { tool: { agents: { name: string }[] } };

describe(`settings of the workspace in the console${BROWSER_NOTE}`, () => {
  let receiver: Receiver;
  let opened: OpenConsole;
  let client: HttpClient;

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    receiver = await openReceiver();
    receiver.respond('/weather', (_index, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"degrees":21}');
      return 200;
    });
    opened = await openConsole({ env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
    client = createHttpClient(opened.system);
    await client.send('/v1/agents', { body: { name: 'Ann', systemPrompt: 'You are Ann.' } });
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
  });

  const readWorkspace = async (): Promise<Workspace['workspace']> =>
    ((await client.send('/v1/workspace')).json as Workspace).workspace;

  const expectUsable = async (): Promise<void> => {
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
  };

  itInBrowser('registers a tool, calls it, gives it to an agent and deletes it', async () => {
    await opened.open('/settings/tools');
    await opened.press('Register a tool');
    await opened.fill('Name', 'get_weather');
    await opened.fill('Description', 'The weather of a city');
    await opened.fill('Endpoint', receiver.urlOf('/weather'));
    await opened.fill('Arguments', '{');
    await opened.press('Register the tool');
    await opened.awaitText('Arguments: ');
    await opened.fill('Arguments', JSON.stringify(SCHEMA));
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.press('Register the tool');
    await opened.awaitText('Copy the secret now.');
    await opened.press('I have stored it');
    await opened.takeScreenshots('tools');
    await opened.press('get_weather');
    await opened.awaitText('No agent may call it yet.');
    await opened.press('Give it to an agent');
    await opened.press('Ann');
    await eventually(async () => {
      const { tools } = (await client.send('/v1/tools')).json as { tools: { id: string }[] };
      const tool = (await client.send(`/v1/tools/${tools[0]!.id}`)).json as ToolAnswer;
      return tool.tool.agents.some(({ name }) => name === 'Ann');
    }, 'the link of the tool to Ann');
    await opened.fill('Arguments of the test', '{"city": "Paris"}');
    await opened.press('Call the tool');
    await opened.awaitText('"degrees": 21');
    expect(receiver.requestsOf('/weather')).toHaveLength(1);
    await expectUsable();
    await opened.takeScreenshots('tool-detail', 1_500);
    await opened.press('More actions');
    await opened.press('Delete');
    await opened.press('Delete the tool');
    await opened.awaitText('No tools yet');
  });

  itInBrowser('adds a provider without showing its key, and an alias with a fallback', async () => {
    await opened.open('/settings/models');
    await opened.press('Add a provider');
    await opened.fill('Name', 'house');
    await opened.fill('Address', receiver.urlOf('/v1'));
    await opened.fill('API key of the provider', PROVIDER_KEY);
    await opened.press('Add the provider');
    await opened.awaitGone('[role=dialog]');
    await opened.awaitText('house');
    expect(await opened.page.read('document.documentElement.innerHTML')).not.toContain(
      PROVIDER_KEY,
    );
    await opened.press('Add an alias');
    await opened.fill('Name', 'company-default');
    await opened.press('Add a target');
    await opened.fill('Model', 'large');
    await opened.fill('Weight', '3');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    await opened.takeScreenshots('alias-dialog');
    await opened.press('Add the alias');
    await opened.awaitGone('[role=dialog]');
    await opened.awaitText('100% of conversations');
    expect((await readWorkspace()).aliases).toEqual({
      'company-default': { targets: [{ provider: 'house', model: 'large', weight: 3 }] },
    });
    await expectUsable();
    await opened.takeScreenshots('models', 1_300);
    await opened.press('Actions of company-default');
    await opened.press('Remove');
    await opened.press('Remove the alias');
    await opened.awaitText('No aliases yet');
    expect((await readWorkspace()).aliases).toEqual({});
  });

  itInBrowser('tries out privacy in the page, and saves it', async () => {
    await opened.open('/settings/privacy');
    await opened.fill('Term', 'Project Heron');
    await opened.press('Add the term');
    await opened.fill('Pattern', 'AB-\\d{4}');
    await opened.press('Add the pattern');
    await opened.fill('Text', 'Ann Lee asks about AB-1234 of project heron, ann@example.org.');
    await opened.press('Mask the text');
    await opened.awaitText('4 values masked');
    const [original, masked] = await opened.page.read<[string, string]>(
      `[...document.querySelectorAll('figure p')].map((one) => one.innerText)`,
    );
    expect(original).toBe('Ann Lee asks about AB-1234 of project heron, ann@example.org.');
    const placeholders = masked.replaceAll(/_\w{6}\]\]/g, ']]');
    expect(placeholders).toBe('[[PERSON]] asks about [[ORG]] of [[ORG]], [[EMAIL]].');
    await expectUsable();
    await opened.takeScreenshots('privacy', 1_600);
    expect((await readWorkspace()).privacy.terms).toEqual([]);
    await opened.press('Save');
    await opened.awaitText('The privacy settings are saved');
    expect((await readWorkspace()).privacy).toMatchObject({
      terms: [{ text: 'Project Heron', category: 'ORG' }],
      patterns: [{ pattern: 'AB-\\d{4}', category: 'ORG' }],
    });
    await opened.press('Restore the defaults');
    await opened.awaitText('Restore the default privacy settings?');
    expect((await readWorkspace()).privacy.terms).toHaveLength(1);
    await opened.press('Replace the settings');
    await eventually(
      async () => (await readWorkspace()).privacy.terms.length === 0,
      'the default settings',
    );
    await opened.awaitGone('[role=alertdialog]');
  });

  itInBrowser('does not undo what another admin changed meanwhile', async () => {
    await opened.fill('Term', 'Project Heron');
    await opened.press('Add the term');
    const body = { privacy: { terms: [{ text: 'Project Crane', category: 'ORG' }] } };
    await client.send('/v1/workspace', { method: 'PUT', body });
    await opened.press('Save');
    await opened.awaitText('The privacy settings changed after you opened this form');
    expect((await readWorkspace()).privacy).toMatchObject(body.privacy);
    await opened.press('Discard changes');
    await opened.awaitText('Project Crane');
    await client.send('/v1/workspace', { method: 'PUT', body: { privacy: {} } });
  });

  itInBrowser('shows in the audit log what was done, by the filters of the address', async () => {
    await opened.open('/settings/audit');
    await opened.awaitText('Tool registered');
    await opened.awaitText('Provider changed');
    await expectUsable();
    await opened.takeScreenshots('audit');
    await opened.choose('Action', 'tool.deleted');
    // The filter offers the same words, and the table is away while the list is read.
    const readTable = () =>
      opened.page.read<string>(`document.querySelector('[role=table]')?.innerText ?? ''`);
    await eventually(async () => (await readTable()).includes('Tool deleted'), 'the filtered list');
    expect(await opened.page.read('location.search')).toBe('?action=tool.deleted');
    expect(await readTable()).not.toContain('Provider changed');
    await opened.press('Remove filters');
    await opened.awaitText('Provider changed');
  });

  itInBrowser('saves the audit log as CSV', async () => {
    await opened.page.read(
      `void (window.saved = new Promise((resolve) => {
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => { resolve(blob.text()); return create.call(URL, blob); };
      }))`,
    );
    await opened.press('CSV');
    const csv = await opened.page.read<string>('window.saved');
    expect(csv).toMatch(/^id,action,actor,target,detail,createdAt\r\n/);
    expect(csv).toContain(',tool.created,');
    opened.expectQuiet();
  });
});
