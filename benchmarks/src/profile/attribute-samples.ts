/** A `.cpuprofile`, as far as it is read here. */
export type CpuProfile = {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  /** Microseconds of the monotonic clock. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
};

/** Microseconds by function, by the part that the function is in, and by who made it work. */
export type Attribution = {
  functions: Map<string, number>;
  parts: Map<string, number>;
  owners: Map<string, number>;
  /** Idle time left out. */
  busyMicros: number;
};

type Frame = { label: string; part: string; owner: string };

/** A stretch of the monotonic clock, in microseconds. */
export type TimeWindow = { from: number; to: number };

/**
 * Sums up the samples of one window of time. A function's part is its package or Node module; its
 * owner is the innermost of our own folders or of npm's packages on its stack, so that what an
 * Express handler spends in node:http counts as the handler's.
 */
export const attributeSamples = (profile: CpuProfile, window: TimeWindow): Attribution => {
  const frames = readFrames(profile);
  const found: Attribution = {
    functions: new Map(),
    parts: new Map(),
    owners: new Map(),
    busyMicros: 0,
  };
  let now = profile.startTime;
  profile.samples.forEach((id, place) => {
    // A delta is the time since the sample before: what that one was doing lasted until this one.
    const lasted = profile.timeDeltas[place + 1] ?? 0;
    now += profile.timeDeltas[place] ?? 0;
    const frame = frames.get(id)!;
    if (frame.label === '(idle)' || now < window.from || now > window.to) return;
    found.busyMicros += lasted;
    add(found.functions, `${frame.label}  [${frame.part}]`, lasted);
    add(found.parts, frame.part, lasted);
    add(found.owners, frame.owner, lasted);
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

const toFrame = (
  { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'],
  parent: Frame | undefined,
): Frame => {
  const name = functionName || '(anonymous)';
  const isMeta = url === '' && /^\((root|program|idle|garbage collector)\)$/.test(name);
  if (isMeta) return { label: name, part: name, owner: name };
  // Native code has no file: it is part of whoever called it.
  const part = url === '' ? (parent?.part ?? '(native)') : partOf(url);
  const file = url === '' ? 'native' : `${url.split('/').at(-1)}:${lineNumber + 1}`;
  const isNode = part.startsWith('node:') || part === '(root)';
  const inherited = parent && parent.owner !== '(root)' ? parent.owner : part;
  return { label: `${name} ${file}`, part, owner: isNode ? inherited : part };
};

/** The npm package, our own folder, or the Node module that a file belongs to. */
const partOf = (url: string): string => {
  const npm = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (npm && !npm.startsWith('@witan/')) return npm;
  if (url.startsWith('node:')) return url.replace(/^node:internal\//, 'node:').split('/')[0]!;
  return /\/((?:apps|libs|tools)\/[^/]+)\//.exec(url)?.[1] ?? url;
};
