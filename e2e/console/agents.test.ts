import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerWith,
  createGate,
  eventually,
  openReceiver,
  openScriptedProvider,
} from '@witan/testing';
import type { Gate, Receiver, Script, ScriptedProvider } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import type { HttpClient } from '../http-client.ts';
import { BROWSER_MISSING, BROWSER_NOTE, inBrowser } from '../open-browser.ts';
import { OPEN_TIMEOUT_MS, openConsole, THEMES } from './open-console.ts';
import type { OpenConsole } from './open-console.ts';

const itInBrowser = inBrowser(it);

const TALL = 1_600;

const THOUGHT = 'Nine months of cash, less the fit-out of four.';
const FIRST_HALF = 'Wait until the first shop has paid back its fit-out. ';
const SECOND_HALF = 'Then sign with a break clause.';
const MEMORY = '<MEMORY key="runway" type="fact">Nine months of cash</MEMORY>';
const HANDBOOK = '# Leave\n\nParental leave is twenty-six weeks, paid in full.\n';

/** The frame with the role, and the two with the thoughts and the first half. */
const FRAMES_TO_HALF = 3;

type Agent = { id: string; name: string; role: string; mission: string };
type Memory = { key: string; value: string };

describe(`agents in the console${BROWSER_NOTE}`, () => {
  let provider: ScriptedProvider;
  let receiver: Receiver;
  let opened: OpenConsole;
  let client: HttpClient;
  let agentId: string;
  let sessionPath: string;
  /** The model's answer to the next calls; a test replaces it. */
  let play: Script = answerWith({ content: 'Yes.' });

  beforeAll(async () => {
    if (BROWSER_MISSING !== undefined) return;
    provider = await openScriptedProvider({ fallback: (exchange) => play(exchange) });
    receiver = await openReceiver();
    opened = await openConsole({
      env: {
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'sk-scripted',
        WITAN_MODEL_FULL: 'gpt-test',
        WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      },
    });
    client = createHttpClient(opened.system);
    await opened.signIn();
  }, OPEN_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  const read = async <Body>(path: string): Promise<Body> =>
    (await client.send(`/v1/agents/${agentId}${path}`)).json as Body;
  const readMemories = async (): Promise<string[]> => {
    const { memories } = await read<{ memories: Memory[] }>('/memory');
    return memories.map(({ key, value }) => `${key}=${value}`).toSorted();
  };
  const playInHalves = (): Gate => {
    const gate = createGate();
    const content = [`<thinking>${THOUGHT}</thinking>`, FIRST_HALF, `${SECOND_HALF}${MEMORY}`];
    play = answerWith({ content }, { gate });
    return gate;
  };
  const expectGoodPage = async (name: string): Promise<void> => {
    // React Aria announces that a button is pending, for some seconds after the button is gone.
    await opened.awaitGone('[data-live-announcer] [role=img]');
    for (const theme of THEMES) await opened.expectAccessible(theme);
    expect(await opened.findOverflows()).toEqual([]);
    await opened.takeScreenshots(name, TALL);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
  };
  const ask = async (message: string): Promise<void> => {
    await opened.fill('Message to Finance', message);
    await opened.press('Send');
  };

  itInBrowser('are created by a form, which names what is missing', async () => {
    await opened.open('/agents');
    await opened.press('New agent');
    await opened.press('Create the agent');
    await opened.awaitText('Give the agent a name.');
    await opened.press('Finance');
    await expectGoodPage('agent-new');
    await opened.press('Create the agent');
    await opened.awaitText('Talk to Finance');
    agentId = /agt_\w+/.exec(await opened.page.read<string>('location.pathname'))![0];
    const { agent } = await read<{ agent: Agent }>('');
    expect(agent).toMatchObject({ name: 'Finance', role: 'Chief financial officer' });
  });

  itInBrowser('answer in a stream, with thoughts folded away and a certificate', async () => {
    const gate = playInHalves();
    await opened.press('Think first');
    await ask('Should we open a second shop?');
    await opened.awaitText('Thinking…');
    gate.release(FRAMES_TO_HALF);
    await opened.awaitText('Wait until the first shop');
    await opened.takeScreenshots('agent-chat-live');
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
    gate.open();
    await opened.awaitText('Remembered: runway');
    await opened.awaitText(SECOND_HALF);
    expect(await opened.page.read('document.body.innerText')).not.toContain(THOUGHT);
    await opened.press('Thoughts');
    await opened.awaitText(THOUGHT);
    const address = await opened.page.read<string>('location.pathname + location.search');
    expect(address).toMatch(/\/chat\?session=ses_\w+$/);
    sessionPath = address.replace('/console', '');
    const list = `document.querySelector('nav[aria-label="Sessions"]').innerText`;
    expect(await opened.page.read(list)).toContain('Should we open a second shop?');
    await expectGoodPage('agent-chat');
  });

  itInBrowser('go on in another page of the console', async () => {
    const gate = playInHalves();
    await ask('And a third one?');
    await opened.awaitText('Thinking…');
    await opened.press('Persona');
    await opened.awaitText('Decision style');
    gate.open();
    await eventually(async () => {
      const { sessions } = await read<{ sessions: { _count: { messages: number } }[] }>(
        '/sessions',
      );
      return sessions[0]!._count.messages === 4;
    }, 'the stored answer');
  });

  itInBrowser('have their sessions after a reload, each answer with its certificate', async () => {
    await opened.open(sessionPath);
    await opened.awaitText('And a third one?');
    await opened.awaitText(FIRST_HALF.trim());
    await opened.press('Proof 1 of answer 2');
    await opened.awaitText('What left for the provider');
    expect(await opened.page.read('location.pathname')).toMatch(/^\/console\/calls\/pf_/);
  });

  itInBrowser('stop at a press of a button, and store nothing of that turn', async () => {
    const gate = playInHalves();
    await opened.open(sessionPath);
    await ask('Never mind');
    await opened.awaitText('Thinking…');
    await opened.press('Stop');
    await opened.awaitText('You stopped this answer.');
    gate.open();
    await opened.press('Dismiss');
    const sid = sessionPath.split('=').at(-1)!;
    const { session } = await read<{ session: { messages: object[] } }>(`/sessions/${sid}`);
    expect(session.messages).toHaveLength(4);
  });

  itInBrowser('remember, and forget what one tells them to', async () => {
    await opened.press('Memories');
    await opened.awaitText('Written by the agent');
    await opened.press('Add a memory');
    await opened.fill('Key', 'city');
    await opened.fill('Value', 'Lyon');
    await opened.press('Add the memory');
    await opened.awaitText('Written through the API');
    await opened.awaitGone('[role=dialog]');
    await opened.press('Actions of city');
    await opened.press('Edit');
    await opened.fill('Value', 'Villeurbanne, near ');
    await opened.press('Save the value');
    await opened.awaitText('Villeurbanne');
    await opened.awaitGone('[role=dialog]');
    expect(await readMemories()).toEqual([
      expect.stringMatching(/^city=.*Villeurbanne, near /),
      'runway=Nine months of cash',
    ]);
    await expectGoodPage('agent-memories');
    await opened.press('Actions of city');
    await opened.press('Earlier values');
    await opened.awaitText('Values of “city”');
    await opened.awaitText('Lyon\n');
    await opened.takeScreenshots('agent-revisions');
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
    await opened.press('Close');
    await opened.awaitGone('[role=dialog]');
    await opened.press('Actions of city');
    await opened.press('Forget');
    await opened.awaitText('forgets it, with its earlier values');
    await opened.press('Forget');
    await opened.awaitText('city is forgotten');
    expect(await readMemories()).toEqual(['runway=Nine months of cash']);
  });

  itInBrowser('call the tools that are linked to them', async () => {
    receiver.respond('/stock', (_index, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"loaves":12}');
      return 'wait';
    });
    const description = 'How many loaves are in stock in a shop';
    const parameters = { type: 'object', properties: { shop: { type: 'string' } } };
    const body = { name: 'get_stock', description, parameters, url: receiver.urlOf('/stock') };
    expect((await client.send('/v1/tools', { body })).status).toBe(201);
    await opened.press('Tools');
    await opened.awaitText('Finance has no tools');
    await opened.press('Link the tool');
    await opened.awaitText(description);
    await expectGoodPage('agent-tools');
    let calls = 0;
    play = async (exchange) => {
      calls += 1;
      const toolCalls = [{ name: 'get_stock', arguments: '{"shop":"north"}' }];
      await answerWith(calls === 1 ? { toolCalls } : { content: 'Twelve loaves are left.' })(
        exchange,
      );
    };
    await opened.open(sessionPath);
    await opened.awaitText('May use its tool');
    await ask('What is in stock?');
    await opened.awaitText('Twelve loaves are left.');
    // The stored answer has certificates; until then the turn is shown, and then replaced.
    await opened.awaitText('Proof 2');
    await opened.press('1 tool call');
    await opened.awaitText('{"loaves":12}');
    expect(receiver.requestsOf('/stock')).toHaveLength(1);
    await opened.takeScreenshots('agent-chat-tools', TALL);
    await opened.page.setViewport({ width: 1280, height: 900, theme: 'light' });
    await opened.press('Tools');
    await opened.press('Unlink get_stock');
    await opened.awaitText('Finance has no tools');
  });

  itInBrowser('read documents, and show the passages for a question', async () => {
    await opened.press('Documents');
    await opened.awaitText('Finance reads no documents yet');
    await opened.fill('New source', 'Handbook');
    await opened.press('Create');
    await opened.awaitText('No documents yet.');
    await opened.page.read(`(() => {
      const chosen = new DataTransfer();
      chosen.items.add(new File([${JSON.stringify(HANDBOOK)}], 'leave.md'));
      const input = document.querySelector('input[type=file]');
      input.files = chosen.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await opened.awaitText('“Leave” is added');
    await opened.awaitText('Ready');
    await opened.fill('Question', 'How long is parental leave?');
    await opened.press('Find passages');
    await opened.awaitText('twenty-six weeks');
    await opened.awaitText('SHA-256');
    await expectGoodPage('agent-documents');
    await opened.press('Delete Leave');
    await opened.press('Delete the document');
    await opened.awaitText('No documents yet.');
  });

  itInBrowser('are changed, lead to their certificates, and are deleted', async () => {
    await opened.press('Persona');
    await opened.fill('Mission', 'Cash above all.');
    await opened.press('Save the changes');
    await opened.awaitText('Finance is changed');
    expect((await read<{ agent: Agent }>('')).agent.mission).toBe('Cash above all.');
    await expectGoodPage('agent-persona');
    await opened.press('Certificates');
    await opened.awaitText('Every call of a model has a signed certificate.');
    await opened.awaitText('agent:finance');
    expect(await opened.page.read('location.search')).toBe('?agent=finance');
    await opened.open('/agents');
    await opened.awaitText('Create a second one');
    await expectGoodPage('agents-list');
    await opened.press('Finance');
    await opened.press('Delete Finance');
    await opened.press('Delete the agent');
    await opened.awaitText('No agents yet');
    opened.expectQuiet();
  });
});
