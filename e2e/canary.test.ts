import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseApiKey } from '@witan/api-gateway';
import {
  answerWith,
  cutMidBody,
  eventually,
  neverAnswer,
  openReceiver,
  respondWith,
  streamFrames,
  toChatCompletion,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { Client } from 'pg';
import { CHAT } from './http-client.ts';
import { openFixture, PROVIDER_KEY, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { watchSpans } from './watch-spans.ts';
import type { SpanWatch } from './watch-spans.ts';

const PROMPT = 'canaryOfThePrompt7c1f';
const ANSWER = 'canaryOfTheAnswer52ae';
const FAILURE = 'canaryOfTheFailure90bd';
const CREDENTIAL = 'canaryOfACredential3d';

const body = {
  model: 'gpt-test',
  user: PROMPT,
  messages: [
    { role: 'system', content: PROMPT, name: PROMPT },
    { role: 'user', content: [{ type: 'text', text: `ask ${PROMPT}` }] },
  ],
  tools: [{ type: 'function', function: { name: PROMPT, description: PROMPT } }],
};

const failWithCanary = (status: number, contentType = 'application/json'): Script =>
  respondWith({
    status,
    headers: { 'content-type': contentType, 'x-request-id': `${FAILURE}-id`, [FAILURE]: FAILURE },
    body: JSON.stringify({
      error: { message: FAILURE, type: FAILURE, param: null, code: FAILURE },
    }),
  });

const toolCalls = [{ name: ANSWER, arguments: JSON.stringify({ said: ANSWER }) }];

/** Provider behaviours for which the gateway relays, replaces or discards content. */
const SCRIPTS: Script[] = [
  answerWith({ content: [ANSWER, ANSWER] }),
  answerWith({ toolCalls }),
  answerWith({ content: ANSWER, finishReason: ANSWER, id: ANSWER, model: ANSWER }),
  answerWith({ content: ANSWER, usage: { prompt_tokens: ANSWER } }),
  respondWith({ body: `${ANSWER} is no JSON` }),
  streamFrames([`data: {"broken":"${ANSWER}\n\n`, `data: ${ANSWER}\n\n`]),
  streamFrames([{ choices: [{ index: 0, delta: { content: ANSWER } }] }, { error: FAILURE }]),
  answerWith({ content: [ANSWER, ANSWER] }, { cutAfter: 2 }),
  cutMidBody(toChatCompletion({ content: ANSWER }), 200),
  ...[400, 401, 403, 429, 500].map((status) => failWithCanary(status)),
  failWithCanary(502, 'text/html'),
];

/** Bodies that the api-gateway refuses: parsers often quote their input in error messages. */
const INVALID_BODIES = [
  `{"model":"gpt-test","messages":[{"role":"user","content":"${PROMPT}"}`,
  `{"model":"gpt-test","messages":"${PROMPT}","stream":"${PROMPT}"}`,
  `{"model":"gpt-test","messages":[{"role":"${PROMPT}","content":7}],"tools":"${PROMPT}"}`,
  `${PROMPT} is no JSON`,
];

describe.each(TRANSPORTS)('content of calls, services over %s', (transport) => {
  let fixture: Fixture;
  let spanWatch: SpanWatch;
  let toolSecret: string;

  beforeAll(async () => {
    spanWatch = watchSpans();
    const env = { ...spanWatch.options.env, WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    fixture = await openFixture({ transport, ...spanWatch.options, env });
    await sendAllCalls(fixture);
    toolSecret = await callTool(fixture);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const secrets = (): string[] => {
    const { apiKey } = fixture.system;
    const { secret } = parseApiKey(apiKey)!;
    return [PROMPT, ANSWER, FAILURE, CREDENTIAL, PROVIDER_KEY, apiKey, secret, toolSecret];
  };

  /**
   * Returns the secrets that a text contains, as plain text or in hex, as PostgreSQL prints bytea.
   */
  const findSecrets = (text: string): string[] => {
    const lowerText = text.toLowerCase();
    const hex = (one: string): string => Buffer.from(one).toString('hex');
    return secrets().filter(
      (one) => lowerText.includes(one.toLowerCase()) || lowerText.includes(hex(one)),
    );
  };

  it('reaches the provider', () => {
    const { body: sentBody, headers } = fixture.provider.requests.at(-1)!;
    expect(sentBody.toString()).toContain(PROMPT);
    expect(headers.authorization).toContain(PROVIDER_KEY);
    expect(findSecrets(`a line with ${ANSWER} and ${Buffer.from(PROMPT).toString('hex')}`)).toEqual(
      [PROMPT, ANSWER],
    );
  });

  it('is in no log line at debug level', () => {
    const { logLines } = fixture.system;
    const requests = logLines.filter((text) => text.includes('"durationMs"'));
    expect(requests.length).toBeGreaterThan(SCRIPTS.length * 2);
    expect(logLines.filter((text) => findSecrets(text).length > 0)).toEqual([]);
  });

  it('is in no metric', async () => {
    const urls = Object.values(fixture.system.adminUrls);
    expect(urls).toHaveLength(6);
    for (const url of urls) {
      const text = await (await fetch(`${url}/metrics`)).text();
      expect(text).toContain('process_cpu_seconds_total');
      expect(findSecrets(text)).toEqual([]);
    }
  });

  it('is in no exported span', async () => {
    const { length: scriptCount } = SCRIPTS;
    const isCallSpan = ({ name }: { name: string }): boolean => name === 'chat gpt-test';
    await eventually(
      () => spanWatch.spans.filter(isCallSpan).length > scriptCount * 2,
      'The spans of calls',
    );
    for (const name of ['POST /v1/chat/completions', 'execute_tool look', 'write append']) {
      expect(spanWatch.spans.map((span) => span.name)).toContain(name);
    }
    expect(findSecrets(spanWatch.text())).toEqual([]);
  });

  it('is in no table of the database', async () => {
    const tables = await dumpTables(fixture.system.databaseUrl);
    expect(tables.get('ledger.certificate')).toContain('pf_');
    expect(tables.get('ledger.reservation')).toContain('settled');
    expect(tables.get('api_gateway.api_key')).toContain(fixture.system.workspaceId);
    for (const [table, text] of tables) expect([table, findSecrets(text)]).toEqual([table, []]);
  });
});

const sendAllCalls = async ({ client, provider, system }: Fixture): Promise<void> => {
  const headers = {
    'x-api-key': system.apiKey,
    authorization: `Bearer ${CREDENTIAL}`,
    cookie: `session=${CREDENTIAL}`,
    'content-type': 'application/json',
    'user-agent': CREDENTIAL,
  };
  for (const script of SCRIPTS) {
    for (const stream of [false, true]) {
      provider.script(script);
      await client.complete({ ...body, stream }, { headers });
    }
  }
  for (const invalidBody of INVALID_BODIES) {
    const { status } = await client.complete(invalidBody, { headers });
    expect(status).toBe(400);
  }
  const invalidCredentials = {
    authorization: `Bearer ${CREDENTIAL}`,
    'x-api-key': `sk_live_${CREDENTIAL}`,
  };
  const { status } = await client.send(`/v1/models?key=${CREDENTIAL}`, {
    headers: invalidCredentials,
  });
  expect(status).toBe(401);
  await abortCall({ client, provider }, headers);
};

const callTool = async ({ client }: Fixture): Promise<string> => {
  await using receiver = await openReceiver();
  receiver.respond('/in', (requestIndex, response) => {
    response
      .writeHead(requestIndex === 0 ? 200 : 500)
      .end(JSON.stringify(requestIndex === 0 ? ANSWER : FAILURE));
    return 'wait';
  });
  const parameters = { type: 'object', properties: { day: { type: 'integer' } } };
  const definition = { name: 'look', description: 'x', parameters, url: receiver.urlOf('/in') };
  const { json } = await client.send('/v1/tools', { body: definition });
  const { tool, secret } = json as { tool: { id: string }; secret: string };
  const statuses: string[] = [];
  for (const args of [{ said: PROMPT }, { said: PROMPT }, { said: PROMPT, day: CREDENTIAL }]) {
    const answer = await client.send(`/v1/tools/${tool.id}/test`, { body: { arguments: args } });
    statuses.push((answer.json as { status: string }).status);
    expect(answer.text).not.toContain(FAILURE);
  }
  expect(statuses).toEqual(['ok', 'error', 'error']);
  return secret;
};

const abortCall = async (
  { client, provider }: Pick<Fixture, 'client' | 'provider'>,
  headers: Record<string, string>,
): Promise<void> => {
  const callNumber = provider.requests.length + 1;
  const before = await client.listCertificates();
  const controller = new AbortController();
  provider.script(neverAnswer());
  const call = client.open(CHAT, { body, headers, signal: controller.signal });
  const abortedCall = call.catch((error: unknown) => String(error));
  await provider.whenRequest(callNumber);
  controller.abort();
  expect(await abortedCall).toContain('abort');
  await eventually(
    async () => (await client.listCertificates()).at(before.length),
    'the last certificate',
  );
};

/** Returns all rows as text for every table outside PostgreSQL's catalog, keyed by table name. */
const dumpTables = async (url: string): Promise<Map<string, string>> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%s.%s', table_schema, table_name) AS name
       FROM information_schema.tables
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
       AND table_type = 'BASE TABLE'`,
    );
    const tables = new Map<string, string>();
    for (const { name } of rows) {
      const tableRows = await client.query<{ text: string }>(
        `SELECT t::text AS text FROM ${name} AS t`,
      );
      tables.set(name, tableRows.rows.map(({ text }) => text).join('\n'));
    }
    return tables;
  } finally {
    await client.end();
  }
};
