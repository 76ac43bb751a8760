import { printTable } from '../report/print-report.ts';

/** The fields of a `.cpuprofile` file that are used. */
export type CpuProfile = {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  /** Start on the monotonic clock, in microseconds. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
};

/** CPU microseconds by function, by package or Node module (`parts`), by owner, and by stage. */
export type Attribution = {
  functions: Map<string, number>;
  parts: Map<string, number>;
  owners: Map<string, number>;
  stages: Map<string, number>;
  /** Duration of all samples that are not idle. */
  busyMicros: number;
};

type Frame = { label: string; part: string; owner: string; stage: string };

/** Start and end on the monotonic clock, in microseconds. */
export type TimeWindow = { from: number; to: number };

/**
 * Sums the samples within a window. The part of a function is its package or Node module. Its owner
 * is the innermost package on the stack that is not Node's, so that time in node:http counts for
 * the package that called it. Its stage is the innermost folder of ours, with all that it calls; of
 * a stack without one, the outermost package or Node module.
 */
export const attributeSamples = (profile: CpuProfile, window: TimeWindow): Attribution => {
  const frames = readFrames(profile);
  const found: Attribution = {
    functions: new Map(),
    parts: new Map(),
    owners: new Map(),
    stages: new Map(),
    busyMicros: 0,
  };
  let now = profile.startTime;
  profile.samples.forEach((id, index) => {
    // A delta is the time since the previous sample; a sample counts until the next one.
    const durationMicros = profile.timeDeltas[index + 1] ?? 0;
    now += profile.timeDeltas[index] ?? 0;
    const frame = frames.get(id)!;
    if (frame.label === '(idle)' || now < window.from || now > window.to) return;
    found.busyMicros += durationMicros;
    add(found.functions, `${frame.label}  [${frame.part}]`, durationMicros);
    add(found.parts, frame.part, durationMicros);
    add(found.owners, frame.owner, durationMicros);
    add(found.stages, frame.stage, durationMicros);
  });
  return found;
};

const add = (sums: Map<string, number>, key: string, micros: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + micros);
};

const readFrames = ({ nodes }: CpuProfile): Map<number, Frame> => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frames = new Map<number, Frame>();
  const visit = (id: number, parent: Frame | undefined): void => {
    const { callFrame, children } = byId.get(id)!;
    const frame = toFrame(callFrame, parent);
    frames.set(id, frame);
    for (const child of children ?? []) visit(child, frame);
  };
  visit(nodes[0]!.id, undefined);
  return frames;
};

/** The folder of a feature, or a library. */
const OWN_FOLDER = /\/(apps\/[^/]+\/src\/[^/.]+|libs\/[^/]+)(?!.*\/node_modules\/)/;

const toFrame = (
  { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'],
  parent: Frame | undefined,
): Frame => {
  const name = functionName || '(anonymous)';
  const isMeta = url === '' && /^\((root|program|idle|garbage collector)\)$/.test(name);
  if (isMeta) return { label: name, part: name, owner: name, stage: name };
  // Native code has no file, so its time counts for its caller's package.
  const part = url === '' ? (parent?.part ?? '(native)') : partOf(url);
  const file = url === '' ? 'native' : `${url.split('/').at(-1)}:${lineNumber + 1}`;
  const isNode = part.startsWith('node:') || part === '(root)';
  const inherited = parent && parent.owner !== '(root)' ? parent.owner : part;
  const outer = parent && parent.stage !== '(root)' ? parent.stage : part;
  const stage = OWN_FOLDER.exec(url)?.[1] ?? outer;
  return { label: `${name} ${file}`, part, owner: isNode ? inherited : part, stage };
};

/**
 * Returns the npm package, the folder of this repository, or the Node module of a file; its URL if
 * it is in none of them.
 */
const partOf = (url: string): string => {
  const npm = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (npm && !npm.startsWith('@witan/')) return npm;
  if (url.startsWith('node:')) return url.replace(/^node:internal\//, 'node:').split('/')[0]!;
  return /\/((?:apps|libs|tools)\/[^/]+)\//.exec(url)?.[1] ?? url;
};

/** Number of rows per printed table. */
const TOP = 25;

/**
 * Prints a process's CPU use by function, part and owner. The profiler also counts time in which
 * another process has the core. So only the profiler's shares are used, multiplied by the CPU time
 * that the kernel counted.
 */
export const printAttribution = (title: string, found: Attribution, cpuPer1000: number): void => {
  process.stdout.write(`\n== ${title}: ${cpuPer1000.toFixed(3)} CPU seconds per 1,000 calls\n`);
  const list = (heading: string, sums: ReadonlyMap<string, number>): void => {
    const rows = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, TOP);
    const shares = rows.map(([name, micros]) => [name, micros / found.busyMicros] as const);
    printTable(
      `${title}: ${heading}`,
      [heading, 'share', 'CPU s/1,000'],
      shares.map(([name, share]) => [
        name,
        `${(share * 100).toFixed(1)} %`,
        (share * cpuPer1000).toFixed(4),
      ]),
    );
  };
  list('self time by function', found.functions);
  list('self time by part', found.parts);
  list('time by owner', found.owners);
};
