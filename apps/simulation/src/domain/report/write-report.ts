import { isServiceError } from '@witan/contracts';
import { describeFault, isCutOff, readJsonAnswer } from '@witan/dialects';
import { askWhole } from '../model/ask-once.ts';
import type { Asked } from '../model/ask-once.ts';
import type { Caller, OpenCall, Prompt } from '../model/model-call.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { computeFacts } from './compute-facts.ts';
import { describeAgain, describeNumberFaults, describeReportTask } from './describe-report-task.ts';
import { describeDecision, findKeyDecisions, toDecisionFacts } from './key-decisions.ts';
import type { KeyDecision } from './key-decisions.ts';
import { findNumberFaults } from './number-lock/find-number-faults.ts';
import type { NumberLock } from './number-lock/find-number-faults.ts';
import { normalizeProse } from './number-lock/normalize-prose.ts';
import { readProse } from './prose.ts';
import type { Prose } from './prose.ts';
import type { Report } from './report.ts';
import type { Course } from './scenario-course.ts';
import { toFactTable } from './to-fact-table.ts';
import { writeTemplate } from './write-template.ts';

export type ReportedSimulation = {
  simulation: Simulation;
  /** In the order of its scenarios. */
  courses: readonly Course[];
};

export type WriteReportDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
  /** Why a model's prose was not taken; never what it says. */
  onRejected: (why: string, simulationId: string) => void;
};

/**
 * The report of a simulation (C8):
 * 1. Facts are computed from the states, and the decisions that mattered by playing without them.
 * 2. A model writes prose, and may copy numbers from the facts only: the number lock reads every
 *    numeral of it. What does not stand up is asked for once more, with what was wrong.
 * 3. Where that is no better, or no model can be reached, rules write it.
 * Rejects as the caller leaves, and with what the caller can mend or wait for.
 */
export const writeReport = async (
  { simulation, courses }: ReportedSimulation,
  asked: { caller: Caller; requestSha256: string },
  deps: WriteReportDeps,
): Promise<Report> => {
  const decisions = findKeyDecisions(simulation, courses);
  const facts = [...computeFacts(simulation, courses), ...toDecisionFacts(decisions)];
  const keyDecisions = describeDecisions(decisions, courses.length === 1);
  const names = [simulation.name, ...courses.map(({ scenario }) => scenario.name)];
  const lock = { facts, names: names.map(normalizeProse) };
  const prompt = describeReportTask({ simulation, courses, facts, keyDecisions });
  const written = await askForProse({ prompt, lock, keyDecisions }, asked, {
    ...deps,
    onRejected: (why) => deps.onRejected(why, simulation.id),
  });
  const prose =
    written.prose ?? writeTemplate({ turns: simulation.currentTurn, courses, decisions });
  return {
    summary: prose.summary,
    keyDecisions,
    risks: prose.risks,
    recommendations: prose.recommendations,
    facts: toFactTable({ simulation, courses, facts, decisions }),
    proofIds: written.proofIds,
    isFromTemplate: written.prose === undefined,
  };
};

/** A company that held its course throughout decided nothing. */
const describeDecisions = (decisions: readonly KeyDecision[], isOnly: boolean): string[] =>
  decisions.length === 0
    ? ['No decision moved the company off its course.']
    : decisions.map((decision) => describeDecision(decision, isOnly));

type Asking = { prompt: Prompt; lock: NumberLock; keyDecisions: readonly string[] };
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
    const { value, raw, proofId } = answer;
    proofIds.push(proofId);
    if ('prose' in value) return { prose: value.prose, proofIds };
    deps.onRejected(value.kind);
    prompt = describeAgain(asking.prompt, raw, value.fault);
  }
  return { prose: undefined, proofIds };
};

const ATTEMPTS = 2;

type ReadProse = { prose: Prose } | { fault: string; kind: 'form' | 'numbers' };

/** Undefined: nobody answered. Who left, or could mend it, gets no template instead. */
const ask = async (
  { prompt, lock, keyDecisions }: Asking,
  { caller, requestSha256 }: { caller: Caller; requestSha256: string },
  { openCall, newId, onRejected }: WriteReportDeps & { onRejected: (why: string) => void },
): Promise<Asked<ReadProse> | undefined> => {
  const proofId = newId('pf');
  const call = { proofId, requestSha256, purpose: 'simulation' as const, prompt };
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
  if ('fault' in read) return { fault: describeFault(read.fault), kind: 'form' };
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
