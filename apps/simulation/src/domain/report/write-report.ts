import { isServiceError } from '@witan/contracts';
import { describeJsonError, isCutOff, readJsonAnswer } from '@witan/dialects';
import { askWhole } from '../model/ask-once.ts';
import type { Asked } from '../model/ask-once.ts';
import type { Caller, OpenCall, Prompt } from '../model/model-call.ts';
import { toReask } from '../model/to-reask.ts';
import type { RunForecast } from '../turn/forecast-scenario.ts';
import { computeReport } from './compute-report.ts';
import type { ReportedSimulation } from './compute-report.ts';
import { describeAgain, describeNumberFaults, describeReportTask } from './describe-report-task.ts';
import { findNumberFaults } from './number-lock/find-number-faults.ts';
import type { NumberLock } from './number-lock/find-number-faults.ts';
import { normalizeProse } from './number-lock/normalize-prose.ts';
import { readProse } from './prose.ts';
import type { Prose } from './prose.ts';
import type { Report } from './report.ts';
import { toFactTable } from './to-fact-table.ts';

export type WriteReportDeps = {
  openCall: OpenCall;
  runForecast: RunForecast;
  newId: (prefix: string) => string;
  /** Why a model's prose was not taken; never what it says. */
  onRejected: (why: string, simulationId: string) => void;
};

/**
 * The report of a simulation (C8):
 * 1. Facts are computed from the states and from a forecast of a further year, and the decisions
 *    that mattered by playing without them.
 * 2. A model writes prose, and may copy numbers from the facts only: the number lock reads every
 *    numeral of it. What does not stand up is asked for once more, with what was wrong.
 * 3. Where that is no better, or no model can be reached, rules write it.
 * Of a simulation with a panel that stayed on the machine, only the local runtime is asked.
 * Rejects as the caller leaves, and with what the caller can mend or wait for.
 */
export const writeReport = async (
  reported: ReportedSimulation,
  asked: { caller: Caller; requestSha256: string },
  deps: WriteReportDeps,
): Promise<Report> => {
  const { simulation, courses } = reported;
  const computed = await computeReport(reported, asked.caller.signal, deps);
  const { facts, keyDecisions, template, language } = computed;
  const names = [simulation.name, ...courses.map(({ scenario }) => scenario.name)];
  const lock = { facts, names: names.map(normalizeProse), language };
  const prompt = describeReportTask({ simulation, courses, ...computed });
  const written = await askForProse(
    { prompt, lock, keyDecisions, staysLocal: reported.staysLocal },
    asked,
    {
      ...deps,
      onRejected: (why) => deps.onRejected(why, simulation.id),
    },
  );
  const prose = written.prose ?? template;
  return {
    summary: prose.summary,
    keyDecisions,
    risks: prose.risks,
    recommendations: prose.recommendations,
    facts: toFactTable({ simulation, ...computed, courses }),
    proofIds: written.proofIds,
    isFromTemplate: written.prose === undefined,
  };
};

type Asking = {
  prompt: Prompt;
  lock: NumberLock;
  keyDecisions: readonly string[];
  staysLocal: boolean;
};
type Written = { prose: Prose | undefined; proofIds: readonly string[] };

const askForProse = async (
  asking: Asking,
  asked: { caller: Caller; requestSha256: string },
  deps: Omit<WriteReportDeps, 'onRejected'> & { onRejected: (why: string) => void },
): Promise<Written> => {
  const proofIds: string[] = [];
  let { prompt } = asking;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await ask({ ...asking, prompt }, asked, deps);
    if (!answer) break;
    const { value, proofId } = answer;
    proofIds.push(proofId);
    if ('prose' in value) return { prose: value.prose, proofIds };
    deps.onRejected(value.kind);
    prompt = toReask(asking.prompt, { ...answer, instruction: describeAgain(value.fault) });
  }
  return { prose: undefined, proofIds };
};

const ATTEMPTS = 2;

type ReadProse = { prose: Prose } | { fault: string; kind: 'form' | 'numbers' };

/** Undefined: nobody answered. Who left, or could mend it, gets no template instead. */
const ask = async (
  { prompt, lock, keyDecisions, staysLocal }: Asking,
  { caller, requestSha256 }: { caller: Caller; requestSha256: string },
  { openCall, newId, onRejected }: WriteReportDeps & { onRejected: (why: string) => void },
): Promise<Asked<ReadProse> | undefined> => {
  const proofId = newId('pf');
  const call = { proofId, requestSha256, purpose: 'simulation' as const, staysLocal, prompt };
  const read = (raw: string, { finishReason }: { finishReason: string }) => {
    const value = readAnswer(raw, finishReason, lock);
    // The certificate commits to what the client gets of it.
    const content = 'prose' in value ? encodeReport(value.prose, keyDecisions) : '';
    return { content, value };
  };
  try {
    return await askWhole(call, caller, { openCall, read });
  } catch (error) {
    if (caller.signal.aborted || !isServiceError(error)) throw error;
    if (isForLater(error)) throw error;
    onRejected(error.reason);
    return undefined;
  }
};

/**
 * Without credit, or while services of ours are away, nothing is lost by writing it later; a report
 * that rules wrote stays.
 */
export const isForLater = (error: unknown): boolean =>
  isServiceError(error) && FOR_LATER.has(error.reason);

const FOR_LATER: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
]);

const readAnswer = (raw: string, finishReason: string, lock: NumberLock): ReadProse => {
  const read = readJsonAnswer(raw, { isCut: isCutOff(finishReason) });
  if ('error' in read) return { fault: describeJsonError(read.error), kind: 'form' };
  const prose = readProse(read.object);
  if ('fault' in prose) return { ...prose, kind: 'form' };
  const { summary, risks, recommendations } = prose.prose;
  const faults = [summary, ...risks, ...recommendations].flatMap((text) =>
    findNumberFaults(text, lock),
  );
  return faults.length === 0 ? prose : { fault: describeNumberFaults(faults), kind: 'numbers' };
};

/** The JSON text of the report's four members, in this order (docs: what a certificate covers). */
const encodeReport = ({ summary, ...prose }: Prose, keyDecisions: readonly string[]): string => {
  const { risks, recommendations } = prose;
  return JSON.stringify({ summary, keyDecisions, risks, recommendations });
};
