import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What one call runs of our own code: the services and their libraries, not the test's helpers. */
export type Walk = {
  /** Files from the repository's root with at least one function that the call runs, sorted. */
  files: string[];
  /** Number of calls of our own functions. */
  calls: number;
  /** Number of times that our code parses the request's whole body as JSON. */
  parses: number;
  /** Number of values that hold the request's whole body: its bytes, and each conversion. */
  forms: number;
};

/** Only functions that every one of these calls runs are counted, as often as the least of them. */
const MEASURED_CALLS = 9;
/** Calls before the measured ones, which fill caches and load modules. */
const WARM_UP_CALLS = 20;
/** Windows without a call, each as long as one. */
const IDLE_WINDOWS = 9;
/** A function that runs in more of them belongs to a timer. */
const IDLE_WINDOWS_MAX = 6;
const OWN_SOURCE = /\/((?:apps|libs)\/(?!testing\/)[^/]+\/src\/[^?:]+)/;
const OWN_FRAME = /\/(?:(?:apps|libs)\/[^/]+\/src|e2e)\//;
const TEST_FRAME = /\/(?:libs\/testing|e2e)\//;
const MESSAGES_MEMBER = '"messages"';

/** Number of runs by function: the file, its offset in the file and its name. */
type Runs = ReadonlyMap<string, number>;

/**
 * Measures a completion whose question contains `mark`. Functions that run in most windows without
 * a call are left out: a slow machine runs them in every call.
 */
export const measureWalk = async (
  complete: () => Promise<unknown>,
  mark: string,
): Promise<Walk> => {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    for (let call = 0; call < WARM_UP_CALLS; call += 1) await complete();
    const startedAt = performance.now();
    await complete();
    const callMs = performance.now() - startedAt;
    // What the calls before leave behind ends here, before the windows without calls.
    await pause(callMs * IDLE_WINDOWS);
    await takeRuns(session);
    const idleRuns: Runs[] = [];
    while (idleRuns.length < IDLE_WINDOWS) {
      await pause(callMs);
      idleRuns.push(await takeRuns(session));
    }
    // The end of a call, after its last byte, is counted for the next one.
    await complete();
    await takeRuns(session);
    const runsOfCalls: Runs[] = [];
    const { parses, others } = await countConversions(mark, async () => {
      while (runsOfCalls.length < MEASURED_CALLS) {
        await complete();
        runsOfCalls.push(await takeRuns(session));
      }
    });
    const forms = 1 + (parses + others) / MEASURED_CALLS;
    return { ...joinRuns(runsOfCalls, idleRuns), parses: parses / MEASURED_CALLS, forms };
  } finally {
    session.disconnect();
  }
};

/** Returns the runs of our own functions since the last time. */
const takeRuns = async (session: Session): Promise<Runs> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const runs = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = OWN_SOURCE.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const { startOffset, count } = ranges[0]!;
      if (count > 0) runs.set(`${file}:${startOffset}:${functionName}`, count);
    }
  }
  return runs;
};

const joinRuns = (
  [first, ...others]: readonly Runs[],
  idleRuns: readonly Runs[],
): Pick<Walk, 'files' | 'calls'> => {
  const files = new Set<string>();
  let calls = 0;
  for (const [name, count] of first!) {
    if (!others.every((runs) => runs.has(name))) continue;
    if (idleRuns.filter((runs) => runs.has(name)).length > IDLE_WINDOWS_MAX) continue;
    files.add(name.slice(0, name.indexOf(':')));
    calls += Math.min(count, ...others.map((runs) => runs.get(name)!));
  }
  return { files: [...files].toSorted(), calls };
};

type Conversion = (this: unknown, ...args: unknown[]) => unknown;

/** Functions that turn bytes, texts and objects into one another: their objects and members. */
const CONVERSIONS = [
  [JSON, 'parse'],
  [JSON, 'stringify'],
  [Buffer, 'from'],
  [Buffer, 'concat'],
  [Buffer.prototype, 'toString'],
  [TextDecoder.prototype, 'decode'],
  [TextEncoder.prototype, 'encode'],
] as unknown as readonly [Record<string, Conversion>, string][];

/** Counts the conversions of whole bodies with `mark` that our own code makes while `run` runs. */
const countConversions = async (
  mark: string,
  run: () => Promise<void>,
): Promise<{ parses: number; others: number }> => {
  const counts = { parses: 0, others: 0 };
  const restores = CONVERSIONS.map(([owner, member]) => {
    const original = owner[member]!;
    owner[member] = function counted(...args) {
      const result = Reflect.apply(original, this, args);
      // The text or the bytes: what is parsed, and what any other conversion results in.
      const body = member === 'parse' ? args[0] : result;
      if (holds(body, mark) && holds(body, MESSAGES_MEMBER) && isOwnCall()) {
        counts[member === 'parse' ? 'parses' : 'others'] += 1;
      }
      return result;
    };
    return () => {
      owner[member] = original;
    };
  });
  try {
    await run();
  } finally {
    for (const restore of restores) restore();
  }
  return counts;
};

const holds = (body: unknown, text: string): boolean => {
  if (typeof body === 'string') return body.includes(text);
  if (!(body instanceof Uint8Array)) return false;
  return Buffer.prototype.includes.call(body, text);
};

/** True if the innermost frame of this repository, without this file, is not a test's. */
const isOwnCall = (): boolean => {
  const frames = new Error('conversion').stack!.split('\n').slice(1);
  const frame = frames.find((line) => OWN_FRAME.test(line) && !line.includes('/measure-walk.ts'));
  return frame !== undefined && !TEST_FRAME.test(frame);
};
