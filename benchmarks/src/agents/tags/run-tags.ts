import { join } from 'node:path';
import type { BenchContext } from '../../bench.ts';
import { openProgram } from '../../program/open-program.ts';
import { median } from '../../report/median.ts';
import type { Table } from '../../report/print-table.ts';
import type { AgentsPart } from '../agents-part.ts';
import { ANSWER_BYTES, ANSWER_KINDS } from './make-answer.ts';
import type { AnswerKind } from './make-answer.ts';
import type { TagOrder, TagResult, TagSystem } from './reading-loop.ts';

/** Sizes in bytes of the pieces in which an answer arrives; 0 for a single piece. */
const CHUNK_SIZES = [16, 64, 0] as const;
const SYSTEMS: readonly TagSystem[] = ['scan', 'reader'];
/** Duration of the warm-up as a share of the measured time. */
const WARM_UP_SHARE = 0.5;
const BYTES_PER_MB = 1e6;

type TagRow = {
  system: TagSystem;
  kind: AnswerKind;
  chunkBytes: number;
  round: number;
  mbPerSecond: number;
};

type TagSummary = { kind: AnswerKind; chunkBytes: number; scan: number; reader: number };

/**
 * Measures the parser of memory tags, alternating with a plain search for `<` in the same pieces.
 */
export const runTags = async ({
  pace,
  stateDir,
  resources,
  log,
}: BenchContext): Promise<AgentsPart> => {
  const ownResources = resources.use(new AsyncDisposableStack());
  const loop = ownResources.use(
    await openProgram<object, TagOrder, TagResult>({
      file: 'agents/tags/reading-loop.ts',
      logFile: join(stateDir, 'reading.log'),
    }),
  );
  const { tagsMs } = pace.agents;
  const rows: TagRow[] = [];
  for (let round = 1; round <= pace.rounds; round += 1) {
    log(`round ${round} of ${pace.rounds}: tags`);
    for (const kind of ANSWER_KINDS) {
      for (const chunkBytes of CHUNK_SIZES) {
        for (const system of SYSTEMS) {
          const order = { system, kind, chunkBytes };
          await loop.execute({ ...order, measureMs: tagsMs * WARM_UP_SHARE });
          const { bytes, elapsedMs } = await loop.execute({ ...order, measureMs: tagsMs });
          const mbPerSecond = (bytes / BYTES_PER_MB / elapsedMs) * 1_000;
          rows.push({ ...order, round, mbPerSecond });
        }
      }
    }
  }
  await ownResources.disposeAsync();
  const summary = summarizeTags(rows);
  return {
    name: 'tags',
    config: { answerBytes: ANSWER_BYTES },
    rows,
    summary,
    table: toTagTable(summary),
    checks: { answersRead: 'each with the memories that are in it' },
    aims: [],
  };
};

const summarizeTags = (rows: readonly TagRow[]): TagSummary[] =>
  ANSWER_KINDS.flatMap((kind) =>
    CHUNK_SIZES.map((chunkBytes) => {
      const medianOf = (system: TagSystem): number =>
        median(
          rows
            .filter((row) => row.kind === kind && row.chunkBytes === chunkBytes)
            .filter((row) => row.system === system)
            .map(({ mbPerSecond }) => mbPerSecond),
        );
      return { kind, chunkBytes, scan: medianOf('scan'), reader: medianOf('reader') };
    }),
  );

const toTagTable = (rows: readonly TagSummary[]): Table => ({
  title: 'reader of memory tags; MB/s, medians',
  headings: ['answer', 'bytes a piece', 'scan', 'reader', 'of scan'],
  rows: rows.map(({ kind, chunkBytes, scan, reader }) => [
    kind,
    chunkBytes === 0 ? 'whole' : String(chunkBytes),
    scan.toFixed(1),
    reader.toFixed(1),
    (reader / scan).toFixed(3),
  ]),
});
