import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KnowledgeService } from '@witan/contracts/services';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as PgClient } from 'pg';
import { addDocument } from './add-document.ts';
import { optionsFor, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const TIMEOUT_MS = 60_000;
/**
 * JavaScript expression of a text so long that its reading can be interrupted. The child process
 * receives the expression, because a command line cannot contain the text.
 */
const WRITE_TEXT = `'Nothing of note happened on this day. '.repeat(60_000) + 'The zebra escaped.'`;
const TEXT = `${'Nothing of note happened on this day. '.repeat(60_000)}The zebra escaped.`;
const SHORT_INTERVALS = { documentLeaseMs: 1_500, documentPollIntervalMs: 50 };

describe('a document that is being read when its service ends', () => {
  let database: TestDatabase;
  let admin: PgClient;
  const services: TestAgents[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    admin = new PgClient({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  const open = async (): Promise<TestAgents> => {
    const service = await openAgents(database.urls['agents']!, SHORT_INTERVALS);
    services.push(service);
    return service;
  };
  const ask = async (sql: string): Promise<unknown> => {
    const { rows } = await admin.query(`SELECT (${sql}) AS answer`);
    return rows[0].answer as unknown;
  };
  const awaitStatus = (status: string, documentId: string): Promise<unknown> =>
    eventually(async () => {
      const found = `SELECT status FROM agents.knowledge_document WHERE id = '${documentId}'`;
      return (await ask(found)) === status;
    }, `a document that is ${status}`);
  const isLeased = (): Promise<unknown> =>
    eventually(
      () => ask('SELECT lease FROM agents.knowledge_upload') as Promise<string>,
      'somebody who reads it',
    );
  const expectFound = async (service: TestAgents, workspaceId: string): Promise<void> => {
    const knowledge = service.clientOf(KnowledgeService);
    const { passages } = await knowledge.search({ query: 'zebra' }, optionsFor(workspaceId));
    expect(passages.map(({ text }) => text)).toEqual([
      expect.stringContaining('The zebra escaped.'),
    ]);
    const counted = await admin.query(
      `SELECT chunk_count, document_count,
         (SELECT count(*)::int FROM agents.knowledge_chunk WHERE source_id = source.id) AS chunks
       FROM agents.knowledge_source AS source WHERE workspace_id = $1`,
      [workspaceId],
    );
    const [{ chunk_count, document_count, chunks }] = counted.rows;
    expect([document_count, chunk_count]).toEqual([1, chunks]);
    expect(await ask('SELECT count(*)::int FROM agents.knowledge_upload')).toBe(0);
  };

  it(
    'is read by another replica after a SIGKILL',
    async () => {
      const killed = await startKillableProcess(database.urls['agents']!, 'ws_killed');
      await isLeased();
      killed.kill();
      await killed.exited;
      const status = `SELECT status FROM agents.knowledge_document WHERE id = '${killed.documentId}'`;
      expect(await ask(status)).toBe('processing');
      const service = await open();
      await awaitStatus('ready', killed.documentId);
      await expectFound(service, 'ws_killed');
    },
    TIMEOUT_MS,
  );

  it(
    'is released immediately by a service that stops, without counting the attempt',
    async () => {
      const first = await open();
      const knowledge = first.clientOf(KnowledgeService);
      const { source } = await knowledge.createSource({ name: 'Diary' }, optionsFor('ws_stopped'));
      const draft = { sourceId: source!.id, text: TEXT };
      const { id } = await addDocument(knowledge, 'ws_stopped', draft);
      await isLeased();
      services.splice(0);
      await first[Symbol.asyncDispose]();
      expect(await ask('SELECT lease FROM agents.knowledge_upload')).toBeNull();
      expect(await ask('SELECT attempts FROM agents.knowledge_upload')).toBe(0);
      const second = await open();
      await awaitStatus('ready', id);
      await expectFound(second, 'ws_stopped');
    },
    TIMEOUT_MS,
  );

  it(
    'is marked as failed after it has crashed its reader three times',
    async () => {
      const killed = await startKillableProcess(database.urls['agents']!, 'ws_poison');
      await isLeased();
      killed.kill();
      await killed.exited;
      await admin.query('UPDATE agents.knowledge_upload SET attempts = 3');
      const service = await open();
      await awaitStatus('failed', killed.documentId);
      const knowledge = service.clientOf(KnowledgeService);
      const request = { sourceId: killed.sourceId, limit: 10 };
      const { documents } = await knowledge.listDocuments(request, optionsFor('ws_poison'));
      expect(documents[0]!.error).not.toBe('');
      const { passages } = await knowledge.search({ query: 'zebra' }, optionsFor('ws_poison'));
      expect(passages).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

type KillableProcess = {
  sourceId: string;
  documentId: string;
  kill: () => void;
  exited: Promise<unknown>;
};

/** Starts a process whose service accepts a long document and begins to read it. */
const startKillableProcess = async (
  databaseUrl: string,
  workspaceId: string,
): Promise<KillableProcess> => {
  const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { KnowledgeService } from '@witan/contracts/services';
    import { addDocument } from ${moduleAt('./add-document.ts')};
    import { openAgents, optionsFor } from ${moduleAt('./open-agents.ts')};
    const service = await openAgents(${JSON.stringify(databaseUrl)}, ${JSON.stringify(SHORT_INTERVALS)});
    const knowledge = service.clientOf(KnowledgeService);
    const options = optionsFor(${JSON.stringify(workspaceId)});
    const { source } = await knowledge.createSource({ name: 'Diary' }, options);
    const draft = { sourceId: source.id, text: ${WRITE_TEXT} };
    const { id } = await addDocument(knowledge, options.workspaceId, draft);
    console.log(JSON.stringify({ sourceId: source.id, documentId: id }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: new URL('.', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const created = JSON.parse(line.toString()) as Pick<KillableProcess, 'sourceId' | 'documentId'>;
  return { ...created, kill: () => void child.kill('SIGKILL'), exited };
};
