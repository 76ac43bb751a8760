import type { BenchContext, BenchPart } from '../../bench.ts';
import { measureRounds } from '../../measure-row.ts';
import { openProgram } from '../../program/open-program.ts';
import { medianRows } from '../../report/summarize-rows.ts';
import type { Table } from '../../report/print-report.ts';
import { ANSWER_BYTES, ANSWER_KINDS } from './make-answer.ts';
import type { AnswerKind } from './make-answer.ts';
import type { TagRequest, TagResult, TagSystem } from './reading-loop.ts';

/** Sizes in bytes of the pieces in which an answer arrives; 0 for a single piece. */
const CHUNK_SIZES = [16, 64, 0] as const;
const SYSTEMS: readonly TagSystem[] = ['scan', 'reader'];
/** Duration of the warm-up as a share of the measured time. */
const WARM_UP_SHARE = 0.5;
const BYTES_PER_MB = 1e6;

type TagCase = { system: TagSystem; kind: AnswerKind; chunkBytes: number };
type TagRow = TagCase & { round: number; mbPerSecond: number };

const CASES: readonly TagCase[] = ANSWER_KINDS.flatMap((kind) =>
  CHUNK_SIZES.flatMap((chunkBytes) => SYSTEMS.map((system) => ({ system, kind, chunkBytes }))),
);

type TagSummary = { kind: AnswerKind; chunkBytes: number; scan: number; reader: number };

/**
 * Measures the parser of memory tags, alternating with a plain search for `<` in the same pieces.
 */
export const runTags = async ({
  preset,
  stateDir,
  resources,
  log,
}: BenchContext): Promise<BenchPart> => {
  const ownResources = resources.use(new AsyncDisposableStack());
  const loop = await openProgram<object, TagRequest, TagResult>(
    { file: 'agents/tags/reading-loop.ts', stateDir },
    ownResources,
  );
  const { tagsMs } = preset.agents;
  const measureTags = async (tagCase: TagCase): Promise<Omit<TagRow, 'round'>> => {
    await loop.execute({ ...tagCase, measureMs: tagsMs * WARM_UP_SHARE });
    const { bytes, elapsedMs } = await loop.execute({ ...tagCase, measureMs: tagsMs });
    return { ...tagCase, mbPerSecond: (bytes / BYTES_PER_MB / elapsedMs) * 1_000 };
  };
  const plan = CASES.map((one) => ({
    label: `tags, ${Object.values(one).join(', ')}`,
    measure: () => measureTags(one),
  }));
  const rows = await measureRounds(plan, { preset, log });
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

/** Returns the rates of both systems for each kind of answer and size of its pieces. */
const summarizeTags = (rows: readonly TagRow[]): TagSummary[] => {
  const medians = medianRows(rows, (row) => `${row.kind} ${row.chunkBytes} ${row.system}`);
  const groups = Map.groupBy(medians, ({ kind, chunkBytes }) => `${kind} ${chunkBytes}`);
  return [...groups.values()].map((group) => {
    const { kind, chunkBytes } = group[0]!;
    const rateOf = (system: TagSystem): number =>
      group.find((row) => row.system === system)!.mbPerSecond;
    return { kind, chunkBytes, scan: rateOf('scan'), reader: rateOf('reader') };
  });
};

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
