/** The parts of a result of the gateway that describe one call; see benchmarks/README.md. */
export type GatewayResult = {
  summary: readonly {
    system: string;
    load: string;
    inFlight: number;
    ratios?: Readonly<Record<string, number>>;
  }[];
  floor?: readonly {
    piece: string;
    work: string;
    plainMicros: number;
    streamedMicros: number;
    aloneMs: number;
  }[];
  inside?: readonly { load: string; micros: Numbers; counts: Numbers }[];
};

type Numbers = Readonly<Record<string, number>>;

/** The content of e2e/completion-walk.json. */
export type Walk = Readonly<
  Record<string, { files: Numbers; calls: number; parses: number; forms: number }>
>;

const BUSY = 64;
const MULTIPLE = 'CPU of floor-work';
const REFERENCES: readonly string[] = ['pipe', 'floor-work'];
/** Stages below this share of a call are shown as one. */
const SHARE_MIN = 0.01;
const NOT_MEASURED = 'The newest result of the gateway does not have them.';

/** CPU of each system in multiples of floor-work, by load. */
export const toMultiplesTable = ({ summary }: GatewayResult): string => {
  const rows = summary.filter(
    ({ system, inFlight }) => inFlight === BUSY && !REFERENCES.includes(system),
  );
  const systems = [...new Set(rows.map(({ system }) => system))];
  const loads = [...new Set(rows.map(({ load }) => load))];
  const multipleOf = (system: string, load: string): string =>
    rows
      .find((row) => row.system === system && row.load === load)
      ?.ratios?.[MULTIPLE]?.toPrecision(2) ?? '';
  return toTable(
    ['load', ...systems],
    loads.map((load) => [load, ...systems.map((system) => multipleOf(system, load))]),
  );
};

/** CPU of the floor with one piece after the other, in microseconds per call. */
export const toFloorTable = ({ floor }: GatewayResult): string => {
  if (floor === undefined) return NOT_MEASURED;
  const added = (index: number, figure: 'plainMicros' | 'streamedMicros'): string =>
    (floor[index]![figure] - (floor[index - 1]?.[figure] ?? 0)).toFixed(0);
  return toTable(
    ['with', 'which is', 'plain, µs', 'piece', 'streamed, µs', 'piece', 'alone, p50 ms'],
    floor.map(({ piece, work, plainMicros, streamedMicros, aloneMs }, index) => [
      piece,
      work,
      plainMicros.toFixed(0),
      added(index, 'plainMicros'),
      streamedMicros.toFixed(0),
      added(index, 'streamedMicros'),
      aloneMs.toFixed(2),
    ]),
  );
};

/** CPU of a call in one process by stage, in microseconds. */
export const toStagesTable = ({ inside }: GatewayResult): string => {
  if (inside === undefined) return NOT_MEASURED;
  const calls = inside.map(({ micros }) => {
    const all = sum(Object.values(micros));
    const isLong = (micro: number): boolean => micro >= SHARE_MIN * all;
    const longOnes = Object.entries(micros).filter(([, micro]) => isLong(micro));
    const short = sum(Object.values(micros).filter((micro) => !isLong(micro)));
    return { ...Object.fromEntries(longOnes), 'all shorter ones': short, together: all };
  });
  return toJoinedTable(inside, calls, 0);
};

/** Objects made and functions called by a call in one process. */
export const toObjectsTable = ({ inside }: GatewayResult): string =>
  inside === undefined
    ? NOT_MEASURED
    : toJoinedTable(
        inside,
        inside.map(({ counts }) => counts),
        1,
      );

const toJoinedTable = (
  loads: readonly { load: string }[],
  columns: readonly Numbers[],
  digits: number,
): string => {
  const ends = ['all shorter ones', 'together'];
  const names = [...new Set(columns.flatMap((column) => Object.keys(column)))];
  const ordered = [...names.filter((name) => !ends.includes(name)), ...ends];
  return toTable(
    ['', ...loads.map(({ load }) => load)],
    ordered
      .filter((name) => names.includes(name))
      .map((name) => [name, ...columns.map((column) => column[name]?.toFixed(digits) ?? '')]),
  );
};

/** Files entered, own calls, parses and forms of a completion. */
export const toWalkTable = (walk: Walk): string => {
  const calls = Object.values(walk);
  const folders = [...new Set(calls.flatMap(({ files }) => Object.keys(files)))];
  const row = (name: string, numberOf: (call: (typeof calls)[number]) => number): string[] => [
    name,
    ...calls.map((call) => numberOf(call).toLocaleString('en')),
  ];
  return toTable(
    ['', ...Object.keys(walk)],
    [
      ...folders.map((folder) => row(`files of ${folder}`, ({ files }) => files[folder] ?? 0)),
      row('files together', ({ files }) => sum(Object.values(files))),
      row('calls of our functions, at most', (call) => call.calls),
      row('parses of the body', ({ parses }) => parses),
      row('forms of the body', ({ forms }) => forms),
    ],
  );
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const toTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '-'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
