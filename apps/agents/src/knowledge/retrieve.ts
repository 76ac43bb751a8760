import { createHash } from 'node:crypto';
import { invalidRequest } from '@witan/contracts';
import type { Passage, Retrieve, RetrieveQuery } from './passage.ts';
import { SOURCES_MAX } from './knowledge.ts';
import { EMBEDDED_QUERY_LENGTH_MAX } from './similarity/embedding.ts';
import type { FindSimilar } from './similarity/find-similar.ts';
import { fuseRankings } from './similarity/fuse-rankings.ts';
import { planSearch } from './search/plan-search.ts';
import type { SearchPlan } from './search/plan-search.ts';
import { rankChunks } from './search/rank-chunks.ts';
import { chooseTerms, readQuery, toCounts } from './search/term.ts';
import type { BaseCount, BaseCounts } from './search/term.ts';

export type SearchedSource = {
  id: string;
  /** Number of the source, which the search index contains instead of the longer id. */
  no: number;
  name: string;
  chunkCount: number;
  wordCount: number;
};

export type StoredChunk = Omit<Passage, 'source' | 'score' | 'sha256' | 'chunkId'> & { id: string };

export type KnowledgeSearch = {
  /**
   * Returns the sources to search. `agentId` limits them to sources linked to that agent,
   * `sourceIds` to these sources.
   */
  findSources: (
    workspaceId: string,
    scope: Pick<RetrieveQuery, 'agentId' | 'sourceIds'>,
  ) => Promise<SearchedSource[]>;
  countBases: (
    sources: readonly SearchedSource[],
    bases: readonly string[],
  ) => Promise<BaseCount[]>;
  findCandidates: (
    plan: SearchPlan,
    counts: BaseCounts,
    limit: number,
  ) => Promise<readonly string[]>;
  /** Returns those of the chunks `ids` that still exist, in no particular order. */
  loadChunks: (workspaceId: string, ids: readonly string[]) => Promise<StoredChunk[]>;
};

const CANDIDATES_MAX = 64;
/**
 * Scores are rounded to this many decimals, which hides most floating-point differences between
 * platforms.
 */
const SCORE_DIGITS = 6;

export type SimilaritySearch = {
  findSimilar: FindSimilar;
  /** True if the embedding model runs on this machine, so that it may have local-only queries. */
  isLocal: boolean;
};

/**
 * Returns a `Retrieve` that searches by terms and, with `similarity`, also by the similarity of
 * vectors; the two rankings are fused. If no similar chunks are found, the result is that of the
 * search by terms.
 */
export const createRetrieve =
  (search: KnowledgeSearch, similarity?: SimilaritySearch): Retrieve =>
  async (workspaceId, { text, limit, isLocal, ...scope }) => {
    const words = readQuery(toQuery(text, QUERY_LENGTH_MAX));
    if (words.length === 0 || scope.sourceIds?.length === 0) return [];
    const sources = await search.findSources(workspaceId, scope);
    rejectMissing(sources, scope.sourceIds);
    const nonEmpty = sources.filter(({ chunkCount }) => chunkCount > 0);
    if (nonEmpty.length === 0) return [];
    const findSimilar = async (): Promise<string[]> => {
      if (!similarity || (isLocal && !similarity.isLocal)) return [];
      const query = toQuery(text, EMBEDDED_QUERY_LENGTH_MAX);
      return similarity.findSimilar(
        workspaceId,
        query,
        nonEmpty.map(({ no }) => no),
      );
    };
    const [matches, similarIds] = await Promise.all([
      findMatches(search, words, nonEmpty),
      findSimilar(),
    ]);
    const ids = [...new Set([...matches.ids, ...similarIds])];
    if (ids.length === 0) return [];
    const chunks = await search.loadChunks(workspaceId, ids);
    const byTerms = matches.rank(chunks);
    const scores = similarIds.length === 0 ? byTerms : fuse(byTerms, similarIds);
    return toPassages(chunks, scores, nonEmpty).slice(0, limit);
  };

type Matches = {
  ids: readonly string[];
  /** Returns the scores of those of the chunks that match. */
  rank: (chunks: readonly StoredChunk[]) => ReadonlyMap<string, number>;
};

/** Finds the chunks that contain terms of the query. */
const findMatches = async (
  search: KnowledgeSearch,
  words: ReturnType<typeof readQuery>,
  sources: readonly SearchedSource[],
): Promise<Matches> => {
  const counts = toCounts(
    await search.countBases(sources, [...new Set(words.map(({ base }) => base))]),
  );
  const chunkCount = sum(sources.map((source) => source.chunkCount));
  const terms = chooseTerms(words, counts, chunkCount);
  if (terms.length === 0) return { ids: [], rank: () => new Map() };
  const ids = await search.findCandidates(planSearch(terms, counts), counts, CANDIDATES_MAX);
  const averageWords = sum(sources.map(({ wordCount }) => wordCount)) / chunkCount;
  const matching = new Set(ids);
  const rank: Matches['rank'] = (chunks) =>
    rankChunks(
      chunks.filter(({ id }) => matching.has(id)),
      terms,
      averageWords,
    );
  return { ids, rank };
};

const fuse = (
  byTerms: ReadonlyMap<string, number>,
  similarIds: readonly string[],
): ReadonlyMap<string, number> => {
  const ranking = [...byTerms]
    .sort(([id, score], [otherId, other]) => other - score || (id < otherId ? -1 : 1))
    .map(([id]) => id);
  return fuseRankings([ranking, similarIds]);
};

/**
 * Maximum length of the text that is searched for, in UTF-16 units, because a message can have
 * megabytes.
 */
const QUERY_LENGTH_MAX = 32_000;

/**
 * Returns a short text unchanged, and the beginning and the end of a long one, because the question
 * is usually there.
 */
const toQuery = (text: string, lengthMax: number): string => {
  if (text.length <= lengthMax) return text;
  const halfLength = lengthMax / 2;
  return `${text.slice(0, halfLength)} ${text.slice(-halfLength)}`;
};

const rejectMissing = (
  sources: readonly SearchedSource[],
  requestedIds: readonly string[] | undefined,
): void => {
  const found = new Set(sources.map(({ id }) => id));
  const missingIndex = requestedIds?.findIndex((id) => !found.has(id)) ?? -1;
  if (missingIndex < 0) return;
  const param = `sourceIds[${missingIndex}]`;
  throw invalidRequest(`${param} is no source of this workspace.`, { param });
};

/**
 * Returns the chunks as passages, best first. Of several chunks with the same text, only the best
 * is returned.
 */
const toPassages = (
  chunks: readonly StoredChunk[],
  scores: ReadonlyMap<string, number>,
  sources: readonly SearchedSource[],
): Passage[] => {
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const passages = chunks
    .filter(({ sourceId }) => names.has(sourceId))
    .map(({ id, ...chunk }): Passage => ({
      ...chunk,
      chunkId: id,
      source: names.get(chunk.sourceId)!,
      score: Number(scores.get(id)!.toFixed(SCORE_DIGITS)),
      sha256: createHash('sha256').update(chunk.text, 'utf8').digest('hex'),
    }))
    // Equal scores are sorted by id, so that the order of passages in the prompt is deterministic.
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  return [...Map.groupBy(passages, ({ sha256 }) => sha256).values()].map(([best]) => best!);
};

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

type KnowledgeQuery = {
  query: string;
  /** Ids of the sources to search; an empty list selects all sources of the workspace. */
  sourceIds: readonly string[];
  /** Maximum number of passages; 0 selects `LIMIT_DEFAULT`. */
  limit: number;
};

export type SearchKnowledge = (workspaceId: string, query: KnowledgeQuery) => Promise<Passage[]>;

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 50;

export const createSearchKnowledge =
  (retrieve: Retrieve): SearchKnowledge =>
  async (workspaceId, { query: text, sourceIds, limit }) => {
    if (text.length > QUERY_LENGTH_MAX) {
      const message = `query may have ${QUERY_LENGTH_MAX} characters.`;
      throw invalidRequest(message, { param: 'query' });
    }
    if (text.trim() === '') throw invalidRequest('query is empty.', { param: 'query' });
    if (limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    if (sourceIds.length > SOURCES_MAX) {
      throw invalidRequest(`sourceIds may be ${SOURCES_MAX}.`, { param: 'sourceIds' });
    }
    const scope = sourceIds.length === 0 ? {} : { sourceIds };
    return retrieve(workspaceId, {
      text,
      limit: limit || LIMIT_DEFAULT,
      isLocal: false,
      ...scope,
    });
  };
