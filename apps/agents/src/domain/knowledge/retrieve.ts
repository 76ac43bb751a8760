import { createHash } from 'node:crypto';
import { invalidRequest } from '@witan/contracts';
import { fuseRanks } from '../memory/fuse-ranks.ts';
import type { Ranking } from '../memory/fuse-ranks.ts';
import type { Passage, Retrieve, RetrieveQuery } from './passage.ts';
import { planSearch } from './search/plan-search.ts';
import type { SearchPlan } from './search/plan-search.ts';
import { rankChunks } from './search/rank-chunks.ts';
import { chooseTerms, readQuery, toCounts } from './search/term.ts';
import type { BaseCount, BaseCounts } from './search/term.ts';

/** A source as searches read it. */
export type SearchedSource = {
  id: string;
  /** Its short number in the index. */
  no: number;
  name: string;
  chunkCount: number;
  wordCount: number;
};

/** A stored chunk. */
export type StoredChunk = Omit<Passage, 'source' | 'score' | 'sha256' | 'chunkId'> & { id: string };

/** Read access to a workspace's index. */
export type KnowledgeSearch = {
  /** The sources linked to the agent, or those named, or all; none of another workspace. */
  findSources: (
    workspaceId: string,
    scope: Pick<RetrieveQuery, 'agentId' | 'sourceIds'>,
  ) => Promise<SearchedSource[]>;
  countBases: (
    sources: readonly SearchedSource[],
    bases: readonly string[],
  ) => Promise<BaseCount[]>;
  /** Ids of candidates in these sources, the most promising first. */
  findCandidates: (
    plan: SearchPlan,
    counts: BaseCounts,
    limit: number,
  ) => Promise<readonly string[]>;
  /** Returns those that still exist, in no order. */
  loadChunks: (workspaceId: string, ids: readonly string[]) => Promise<StoredChunk[]>;
};

/** A second ranking of the candidates, such as by similarity of embeddings. */
export type RankCandidates = (
  query: string,
  candidates: readonly StoredChunk[],
) => Promise<Ranking>;

export type RetrieveDeps = { search: KnowledgeSearch; rankings?: readonly RankCandidates[] };

/** Candidates whose texts are loaded. */
const CANDIDATES_MAX = 64;
/** Decimal digits of a score: platform differences in floating point are smaller. */
const SCORE_DIGITS = 6;

/** Finds passages by their words (see README, "Life of a search"). */
export const createRetrieve =
  ({ search, rankings = [] }: RetrieveDeps): Retrieve =>
  async (workspaceId, { text, limit, ...scope }) => {
    const words = readQuery(toQuery(text));
    if (words.length === 0 || scope.sourceIds?.length === 0) return [];
    const sources = await search.findSources(workspaceId, scope);
    refuseMissing(sources, scope.sourceIds);
    const filled = sources.filter(({ chunkCount }) => chunkCount > 0);
    if (filled.length === 0) return [];
    const counts = toCounts(
      await search.countBases(filled, [...new Set(words.map(({ base }) => base))]),
    );
    const chunkCount = sum(filled.map((source) => source.chunkCount));
    const terms = chooseTerms(words, counts, chunkCount);
    if (terms.length === 0) return [];
    const ids = await search.findCandidates(planSearch(terms, counts), counts, CANDIDATES_MAX);
    const chunks = await search.loadChunks(workspaceId, ids);
    const averageWords = sum(filled.map(({ wordCount }) => wordCount)) / chunkCount;
    const byWords = rankChunks(chunks, terms, averageWords);
    const others = await Promise.all(rankings.map((rank) => rank(toQuery(text), chunks)));
    const scores = others.length === 0 ? byWords : fuseRanks(ids, [byWords, ...others]);
    return toPassages(chunks, scores, filled).slice(0, limit);
  };

/** UTF-16 units of a query that are read; a caller's message may have 32 MiB. */
const QUERY_LENGTH_MAX = 32_000;

/** Returns the beginning and the end of a longer text: the question is usually in one of them. */
const toQuery = (text: string): string => {
  if (text.length <= QUERY_LENGTH_MAX) return text;
  const half = QUERY_LENGTH_MAX / 2;
  return `${text.slice(0, half)} ${text.slice(-half)}`;
};

/** Rejects requested sources that do not exist in the workspace. */
const refuseMissing = (
  sources: readonly SearchedSource[],
  wanted: readonly string[] | undefined,
): void => {
  const found = new Set(sources.map(({ id }) => id));
  const missing = wanted?.findIndex((id) => !found.has(id)) ?? -1;
  if (missing < 0) return;
  const param = `sourceIds[${missing}]`;
  throw invalidRequest(`${param} is no source of this workspace.`, { param });
};

/** Returns passages best first; of chunks with the same text only the best one. */
const toPassages = (
  chunks: readonly StoredChunk[],
  scores: Ranking,
  sources: readonly SearchedSource[],
): Passage[] => {
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const passages = chunks
    .filter(({ sourceId }) => names.has(sourceId))
    .map(({ id, ...chunk }): Passage => ({
      ...chunk,
      chunkId: id,
      source: names.get(chunk.sourceId)!,
      score: Number((scores.get(id) ?? 0).toFixed(SCORE_DIGITS)),
      sha256: createHash('sha256').update(chunk.text, 'utf8').digest('hex'),
    }))
    // A total order, so that prompts are deterministic.
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  return [...Map.groupBy(passages, ({ sha256 }) => sha256).values()].map(([best]) => best!);
};

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
