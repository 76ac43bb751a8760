import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { createFindSimilar } from '@witan/agents/find-similar';
import { createRetrieve } from '@witan/agents/retrieve';
import { openStorage } from '@witan/agents/storage';
import type { Storage } from '@witan/agents/storage';
import { toUnitVector } from '@witan/agents/unit-vector';
import { createLog, newId } from '@witan/service-kit';
import { CannotMeasure } from '../bench.ts';
import type { Bench } from '../bench.ts';
import { addDocument } from '../knowledge/ingest-documents.ts';
import { openKnowledgeTestbed } from '../knowledge/open-knowledge-testbed.ts';
import type { KnowledgeTestbed } from '../knowledge/open-knowledge-testbed.ts';
import { atLeast } from '../report/print-report.ts';
import { QUESTIONS } from './questions.ts';

const WORKSPACE = 'ws_meaning';
const LEASE_MS = 3_600_000;
const BATCH = 16;
const TIMEOUT_MS = 120_000;
/** Number of documents that count as found. */
const FIRST = 5;
/** Number of passages that are read for their documents. */
const LIMIT = 50;
const ROOT = new URL('../../../', import.meta.url);

type Embed = (texts: readonly string[]) => Promise<(Float16Array | undefined)[]>;
/** Returns the titles of the documents of the passages, best first. */
type Search = (question: string) => Promise<string[]>;
type Row = { search: string; first: number; inFive: number; missed: string[] };

/**
 * Asks questions by meaning over the documents of this repository, by terms and by terms and
 * vectors, with a real embedding model: an OpenAI-compatible API at `WITAN_EMBEDDINGS_URL` with the
 * model `WITAN_EMBEDDINGS_MODEL`.
 */
export const runMeaning: Bench = async (context) => {
  const { log, resources } = context;
  const url = process.env['WITAN_EMBEDDINGS_URL'];
  const model = process.env['WITAN_EMBEDDINGS_MODEL'];
  if (!url || !model) {
    throw new CannotMeasure('Set WITAN_EMBEDDINGS_URL and WITAN_EMBEDDINGS_MODEL.');
  }
  const embed = createEmbed(url, model);
  const testbed = await openKnowledgeTestbed(context);
  const storage = resources.use(await openBenchStorage(testbed));
  const titles = [...new Set(QUESTIONS.flatMap(({ documents }) => documents))].toSorted();
  const { chunks, titleOf } = await ingest(testbed, titles);
  log(`${titles.length} documents, ${chunks} chunks; embedding them with ${model}`);
  await embedAll(storage, model, embed);
  const rows: Row[] = [];
  const searches = createSearches(storage, { model, embed, titleOf });
  for (const [name, search] of Object.entries(searches)) rows.push(await ask(name, search));
  const [terms, both] = rows as [Row, Row];
  return {
    config: { model, questions: QUESTIONS.length, documents: titles.length, chunks },
    rows,
    summary: { meaning: rows.map(({ missed: _missed, ...row }) => row) },
    tables: [
      {
        title: `${QUESTIONS.length} questions by meaning, ${chunks} chunks: right document`,
        headings: ['search', 'first', `in the first ${FIRST}`],
        rows: rows.map(({ search, first, inFive }) => [search, String(first), String(inFive)]),
      },
    ],
    checks: {},
    aims: [
      atLeast('questions answered first, with vectors', '', terms.first, both.first),
      atLeast(`in the first ${FIRST}, with vectors`, '', terms.inFive, both.inFive),
    ],
  };
};

const openBenchStorage = ({ postgres }: KnowledgeTestbed): Promise<Storage> =>
  openStorage(postgres.urls['agents']!, createLog({ service: 'agents', level: 'silent' }), {
    newId,
    clock: () => new Date(),
    secretsKey: randomBytes(32).toString('base64'),
  });

const createEmbed =
  (url: string, model: string): Embed =>
  async (input) => {
    const response = await fetch(`${url}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, input }),
    });
    if (!response.ok) throw new CannotMeasure(`${url} answered ${response.status}.`);
    const { data } = (await response.json()) as { data: { embedding: number[] }[] };
    return data.map(({ embedding }) => toUnitVector(embedding));
  };

const ingest = async (testbed: KnowledgeTestbed, titles: readonly string[]) => {
  const options = { workspaceId: WORKSPACE, timeoutMs: TIMEOUT_MS };
  const { source } = await testbed.knowledge.createSource({ name: 'Repository' }, options);
  const collection = { workspaceId: WORKSPACE, sourceId: source!.id, share: 1 };
  let chunks = 0;
  for (const title of titles) {
    const content = await readFile(new URL(title, ROOT));
    chunks += await addDocument(testbed, collection, { title, content });
  }
  const { rows } = await testbed.database.query<{ id: string; title: string }>(
    'SELECT id, title FROM agents.knowledge_document',
  );
  return { chunks, titleOf: new Map(rows.map(({ id, title }) => [id, title])) };
};

/** Gives all chunks a vector, through the queue that the service uses. */
const embedAll = async (storage: Storage, model: string, embed: Embed): Promise<void> => {
  const { queue } = storage.vectorsOf(model);
  for (;;) {
    const leased = await queue.claim({ leaseMs: LEASE_MS, after: '', without: [] });
    if (!leased) return;
    for (let after = ''; ;) {
      const { chunks } = await queue.nextChunks(leased, { after, limit: BATCH });
      if (chunks.length === 0) break;
      const vectors = await embed(chunks.map(({ text }) => text));
      const embedded = chunks.map(({ id }, index) => ({ id, vector: vectors[index]! }));
      await queue.save(leased, { origin: model, chunks: embedded, leaseMs: LEASE_MS });
      after = chunks.at(-1)!.id;
    }
    await queue.finish(leased, { hasFailed: false });
  }
};

const createSearches = (
  storage: Storage,
  { model, embed, titleOf }: { model: string; embed: Embed; titleOf: ReadonlyMap<string, string> },
): Readonly<Record<'terms' | 'terms and vectors', Search>> => {
  const findSimilar = createFindSimilar({
    embed: async (_workspaceId, texts) => ({ origin: model, vectors: await embed(texts) }),
    findNearest: storage.vectorsOf(model).findNearest,
    onFailure: (error) => {
      throw error;
    },
  });
  const toSearch =
    (retrieve: ReturnType<typeof createRetrieve>): Search =>
    async (text) => {
      const passages = await retrieve(WORKSPACE, { text, limit: LIMIT, isLocal: false });
      return [...new Set(passages.map(({ documentId }) => titleOf.get(documentId)!))];
    };
  return {
    terms: toSearch(createRetrieve(storage.knowledgeSearch)),
    'terms and vectors': toSearch(
      createRetrieve(storage.knowledgeSearch, { findSimilar, isLocal: true }),
    ),
  };
};

const ask = async (name: string, search: Search): Promise<Row> => {
  const row: Row = { search: name, first: 0, inFive: 0, missed: [] };
  for (const { text, documents } of QUESTIONS) {
    const found = await search(text);
    const rank = found.findIndex((title) => documents.includes(title));
    if (rank === 0) row.first += 1;
    if (rank >= 0 && rank < FIRST) row.inFive += 1;
    else row.missed.push(text);
  }
  return row;
};
